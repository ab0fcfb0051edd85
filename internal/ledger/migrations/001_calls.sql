-- Every call of a language model: what for, what it took, how it went. No text.
CREATE TABLE calls (
  n         INTEGER PRIMARY KEY,
  at        INTEGER NOT NULL,             -- unix milliseconds
  day       TEXT NOT NULL,                -- of the user's time zone, for the budget
  role      TEXT NOT NULL,
  provider  TEXT NOT NULL,
  api       TEXT NOT NULL,
  model     TEXT NOT NULL,
  project   TEXT NOT NULL,
  session   TEXT NOT NULL,
  input     INTEGER NOT NULL,
  cached    INTEGER NOT NULL,
  output    INTEGER NOT NULL,
  cost      REAL NOT NULL,                -- US dollars
  priced    INTEGER NOT NULL,
  estimated INTEGER NOT NULL,
  outcome   TEXT NOT NULL,
  millis    INTEGER NOT NULL
);
CREATE INDEX calls_by_day ON calls (day);
CREATE INDEX calls_by_at  ON calls (at);

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;
