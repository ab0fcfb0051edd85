-- What is known of the agents' own transcripts: where capture stands, which
-- turns were seen, and an index to search them by. The transcripts stay where
-- they are; no text of theirs is stored here.
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE sessions (
  agent     TEXT NOT NULL,
  id        TEXT NOT NULL,
  parent    TEXT NOT NULL,
  project   TEXT NOT NULL,
  dir       TEXT NOT NULL,
  title     TEXT NOT NULL,
  created   INTEGER NOT NULL,             -- unix milliseconds, like all times here
  active    INTEGER NOT NULL,
  git_start TEXT NOT NULL,
  git_end   TEXT NOT NULL,
  PRIMARY KEY (agent, id)
) WITHOUT ROWID;

CREATE TABLE session_files (
  agent   TEXT NOT NULL,
  session TEXT NOT NULL,
  path    TEXT NOT NULL,
  change  TEXT NOT NULL,
  PRIMARY KEY (agent, session, path)
) WITHOUT ROWID;

CREATE TABLE turns (
  n       INTEGER PRIMARY KEY,            -- also the rowid of turns_fts
  agent   TEXT NOT NULL,
  session TEXT NOT NULL,
  turn    TEXT NOT NULL,
  project TEXT NOT NULL,
  kind    TEXT NOT NULL,
  hash    TEXT NOT NULL,                  -- of what was said, apart from ids
  started INTEGER NOT NULL,
  journal TEXT NOT NULL,                  -- file of its entry; '' = indexed only
  UNIQUE (agent, session, turn)
);
CREATE INDEX turns_by_hash    ON turns (hash);
CREATE INDEX turns_by_project ON turns (project, started);

CREATE VIRTUAL TABLE turns_fts USING fts5 (
  prompt, reply, tools, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE turns_words USING fts5vocab (turns_fts, 'row');

-- What the user asked to remember, until a memory says it.
CREATE TABLE notes (
  n       INTEGER PRIMARY KEY,
  project TEXT NOT NULL,
  agent   TEXT NOT NULL,
  session TEXT NOT NULL,
  at      INTEGER NOT NULL,
  text    TEXT NOT NULL                   -- redacted
);
