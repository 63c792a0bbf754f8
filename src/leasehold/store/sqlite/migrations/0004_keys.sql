-- serves code from 1
-- Keys: at most one job per key. Who holds a key is decided when the next one asks for it, by looking
-- whether the holder's job is alive; so nothing that ends a job has to give its key back.
CREATE TABLE leasehold_key (
  tenant         TEXT    NOT NULL,
  key            TEXT    NOT NULL,
  job_id         TEXT    NOT NULL, -- the holder: the last job accepted under the key
  next           TEXT,             -- waits behind the holder, accepted while that ran
  is_urgent      INTEGER NOT NULL DEFAULT 0, -- the running holder is to stop for next
  taken_at       INTEGER NOT NULL, -- when the holder was accepted
  series_at      INTEGER NOT NULL, -- when the first of those was that put off or replaced each other
  succeeded_at   INTEGER,          -- the last success of a former holder
  memory_seconds REAL    NOT NULL DEFAULT 0, -- the longest that anybody wanted it remembered
  PRIMARY KEY (tenant, key)
) WITHOUT ROWID;
CREATE INDEX leasehold_key_next ON leasehold_key (tenant, key) WHERE next IS NOT NULL;
