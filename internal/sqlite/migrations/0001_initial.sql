-- The projection of one store's text. Everything here but usage and the
-- ledger can be made again from the files.
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE memories (
  n             INTEGER PRIMARY KEY,          -- document number, also the rowid of memories_fts
  id            TEXT    NOT NULL UNIQUE,
  short         TEXT    NOT NULL,             -- the digits that are shown
  text          TEXT    NOT NULL,
  text_hash     TEXT    NOT NULL,             -- of the exact wording
  norm_hash     TEXT    NOT NULL,             -- of the wording without case, space and punctuation
  type          TEXT    NOT NULL,
  category      TEXT    NOT NULL,
  importance    REAL    NOT NULL,
  agent         TEXT    NOT NULL,
  created       INTEGER NOT NULL,             -- unix milliseconds, like all times here
  updated       INTEGER NOT NULL,
  pinned        INTEGER NOT NULL,
  archived      INTEGER NOT NULL,
  forgotten     INTEGER,
  superseded_by TEXT    NOT NULL DEFAULT '',  -- derived from supersedes
  state         TEXT    NOT NULL,             -- derived, see codememory.State
  rest          TEXT    NOT NULL,             -- source, revisions, metadata as JSON
  seq           INTEGER NOT NULL,             -- grows with every change; readers catch up by it
  path          TEXT    NOT NULL,
  size          INTEGER NOT NULL,
  mtime         INTEGER NOT NULL,             -- nanoseconds
  hash          BLOB    NOT NULL,
  embedded      TEXT    NOT NULL DEFAULT ''   -- the model whose vectors of this very text are in passages
);
CREATE INDEX memories_by_short   ON memories (short);
CREATE INDEX memories_by_norm    ON memories (norm_hash);
CREATE INDEX memories_by_updated ON memories (state, updated DESC, n DESC);
CREATE INDEX memories_by_type    ON memories (state, type, updated DESC, n DESC);
CREATE INDEX memories_by_seq     ON memories (seq);
CREATE INDEX memories_by_model   ON memories (state, embedded);
CREATE INDEX memories_by_path    ON memories (path);

-- Counts that change with every retrieval and therefore have no place in the text.
CREATE TABLE usage (
  n          INTEGER PRIMARY KEY REFERENCES memories (n) ON DELETE CASCADE,
  shown      INTEGER NOT NULL DEFAULT 0,
  used       INTEGER NOT NULL DEFAULT 0,
  last_shown INTEGER,
  last_used  INTEGER
);

CREATE TABLE supersedes (
  by_id  TEXT NOT NULL,
  id     TEXT NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (by_id, id)
) WITHOUT ROWID;
CREATE INDEX supersedes_by_old ON supersedes (id);

CREATE TABLE links (
  from_id TEXT NOT NULL,
  to_id   TEXT NOT NULL,
  type    TEXT NOT NULL,
  reason  TEXT NOT NULL,
  PRIMARY KEY (from_id, to_id, type)
) WITHOUT ROWID;
CREATE INDEX links_by_to ON links (to_id);

CREATE TABLE entities (
  e    INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL
);
CREATE TABLE memory_entities (
  n INTEGER NOT NULL REFERENCES memories (n) ON DELETE CASCADE,
  e INTEGER NOT NULL REFERENCES entities (e),
  PRIMARY KEY (n, e)
) WITHOUT ROWID;
CREATE INDEX memory_entities_by_entity ON memory_entities (e);

-- One row per passage; a row of another model than the one in use counts as missing.
CREATE TABLE passages (
  n         INTEGER NOT NULL REFERENCES memories (n) ON DELETE CASCADE,
  p         INTEGER NOT NULL,
  model     TEXT    NOT NULL,
  text_hash TEXT    NOT NULL,
  scale     REAL    NOT NULL,                 -- int8 value × scale = component
  vector    BLOB    NOT NULL,                 -- int8
  tokens    BLOB,                             -- int8 token states for re-ranking
  PRIMARY KEY (n, p)
);

CREATE TABLE tombstones (
  id   TEXT PRIMARY KEY,
  text TEXT NOT NULL,
  at   INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX tombstones_by_text ON tombstones (text);

-- Files that could not be read as memories.
CREATE TABLE problems (
  path TEXT PRIMARY KEY,
  line INTEGER NOT NULL,
  what TEXT NOT NULL,
  todo TEXT NOT NULL,
  size  INTEGER NOT NULL,
  mtime INTEGER NOT NULL
) WITHOUT ROWID;

-- Words for readers that have no index in memory. Contentless: the text is
-- stored once, in memories.
CREATE VIRTUAL TABLE memories_fts USING fts5 (
  text, parts, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);
