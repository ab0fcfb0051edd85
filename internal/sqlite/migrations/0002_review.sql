-- What a person should look at: memories that wait for review and are not
-- retrieved until then, and memories whose extraction was doubtful.
ALTER TABLE memories ADD COLUMN quarantine TEXT NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN unsure INTEGER NOT NULL DEFAULT 0;
CREATE INDEX memories_unsure ON memories (updated DESC, n DESC) WHERE unsure;
