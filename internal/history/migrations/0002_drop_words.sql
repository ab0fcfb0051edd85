-- Words are counted by asking the index itself.
DROP TABLE turns_words;
