-- Groups of similar memories that somebody wants to keep apart, by a hash of
-- their members. Losing this only means being asked again.
CREATE TABLE refusals (
  hash TEXT PRIMARY KEY,
  at   INTEGER NOT NULL
) WITHOUT ROWID;
