-- serves code from 1
-- Where jobs go on: what an attempt saves, fenced by its lease, the next attempt finds.

-- `done` never goes back, whatever an attempt says.
CREATE TABLE leasehold_checkpoint (
  job_id   TEXT    NOT NULL PRIMARY KEY,
  tenant   TEXT    NOT NULL DEFAULT '',
  saved_at INTEGER NOT NULL,
  done     REAL, -- units of work
  total    REAL,
  note     TEXT,
  cursor   TEXT -- JSON
) WITHOUT ROWID;

-- Steps that have been done, with what they returned.
CREATE TABLE leasehold_step (
  job_id  TEXT    NOT NULL,
  name    TEXT    NOT NULL,
  tenant  TEXT    NOT NULL DEFAULT '',
  done_at INTEGER NOT NULL,
  result  TEXT, -- JSON
  PRIMARY KEY (job_id, name)
) WITHOUT ROWID;
