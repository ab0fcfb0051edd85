-- What models have read and what they have still to read. The text of
-- transcripts stays with the agents; here are only references, and what models
-- wrote: summaries and arcs, redacted.
CREATE TABLE sessions (
  agent   TEXT NOT NULL,
  session TEXT NOT NULL,
  project TEXT NOT NULL,
  active  INTEGER NOT NULL,               -- end of its last turn; unix milliseconds, like all times here
  over    INTEGER NOT NULL DEFAULT 0,     -- it ended: its turns are read as they come
  summary TEXT NOT NULL DEFAULT '',
  memory  TEXT NOT NULL DEFAULT '',       -- id of the memory that holds the summary
  PRIMARY KEY (agent, session)
) WITHOUT ROWID;

CREATE TABLE turns (
  n          INTEGER PRIMARY KEY,
  agent      TEXT NOT NULL,
  session    TEXT NOT NULL,
  turn       TEXT NOT NULL,
  state      TEXT NOT NULL,               -- waiting, taken, done
  job        INTEGER NOT NULL DEFAULT 0,  -- that has taken it
  summarised INTEGER NOT NULL DEFAULT 0,
  UNIQUE (agent, session, turn)
);
CREATE INDEX turns_waiting ON turns (agent, session) WHERE state = 'waiting';
CREATE INDEX turns_by_job  ON turns (job) WHERE job > 0;

CREATE TABLE jobs (
  n        INTEGER PRIMARY KEY,
  kind     TEXT NOT NULL,                 -- extract, summarise, arc
  agent    TEXT NOT NULL,
  session  TEXT NOT NULL,
  project  TEXT NOT NULL,
  state    TEXT NOT NULL,                 -- queued, running, done, dead
  attempts INTEGER NOT NULL DEFAULT 0,
  due      INTEGER NOT NULL,
  lease    INTEGER NOT NULL DEFAULT 0,    -- until when owner has it
  owner    TEXT NOT NULL DEFAULT '',
  error    TEXT NOT NULL DEFAULT '',
  memories INTEGER NOT NULL DEFAULT 0,
  created  INTEGER NOT NULL,
  ended    INTEGER NOT NULL DEFAULT 0
);
-- Nobody works twice at the same thing.
CREATE UNIQUE INDEX jobs_open ON jobs (kind, agent, session) WHERE state IN ('queued', 'running');
CREATE INDEX jobs_due ON jobs (due) WHERE state IN ('queued', 'running');

CREATE TABLE arcs (
  agent   TEXT NOT NULL,
  session TEXT NOT NULL,
  n       INTEGER NOT NULL,               -- part of the session, in order
  hash    TEXT NOT NULL,                  -- of the turns it was drawn from
  text    TEXT NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (agent, session, n)
) WITHOUT ROWID;
