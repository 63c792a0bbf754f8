-- serves code from 1
-- Jobs that belong together (batch), that call back when they have ended (callback), and that wait for
-- others (dependent, dependency). What follows from an end is looked for after its commit, and by a
-- sweep; a callback is made by what ends the job. See ARCHITECTURE.md.

-- `round` counts how often it was opened again to retry what failed: each round has its own callback.
CREATE TABLE leasehold_batch (
  id           TEXT    NOT NULL PRIMARY KEY,
  tenant       TEXT    NOT NULL DEFAULT '',
  name         TEXT,
  parent       TEXT, -- the batch that ends only after this one
  meta         TEXT    NOT NULL DEFAULT '{}',
  on_end       TEXT, -- the job to make when all members have ended, JSON
  on_failure   TEXT, -- … when the first one has ended dead
  round        INTEGER NOT NULL DEFAULT 1,
  created_by   TEXT,
  created_at   INTEGER NOT NULL,
  sealed_at    INTEGER, -- from here on only running members add to it
  failed_at    INTEGER, -- when the first dead one of this round was noticed
  cancelled_at INTEGER,
  cancelled_by TEXT,
  ended_at     INTEGER
) WITHOUT ROWID;
CREATE INDEX leasehold_batch_open ON leasehold_batch (id) WHERE ended_at IS NULL;
CREATE INDEX leasehold_batch_parent ON leasehold_batch (parent) WHERE parent IS NOT NULL;

CREATE INDEX leasehold_job_batch ON leasehold_job (batch, id) WHERE batch IS NOT NULL;
CREATE INDEX leasehold_ready_batch
  ON leasehold_ready (batch, is_suspect, priority DESC, created_at, job_id) WHERE batch IS NOT NULL;
CREATE INDEX leasehold_scheduled_batch ON leasehold_scheduled (batch) WHERE batch IS NOT NULL;
CREATE INDEX leasehold_parked_batch ON leasehold_parked (batch) WHERE batch IS NOT NULL;
CREATE INDEX leasehold_waiting_batch ON leasehold_waiting (batch) WHERE batch IS NOT NULL;
CREATE INDEX leasehold_lease_batch ON leasehold_lease (batch) WHERE batch IS NOT NULL;

-- The live jobs that have an on_end. Whatever ends one takes its row and makes the callback job in the
-- same transaction.
CREATE TABLE leasehold_callback (
  job_id TEXT NOT NULL PRIMARY KEY,
  tenant TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;

-- The jobs that wait for others now: they stand in waiting, at stage '#'.
CREATE TABLE leasehold_dependent (
  job_id TEXT NOT NULL PRIMARY KEY,
  tenant TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;

-- Which job was asked to wait for which; kept as long as the job.
CREATE TABLE leasehold_dependency (
  needs  TEXT NOT NULL,
  job_id TEXT NOT NULL,
  tenant TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (needs, job_id)
) WITHOUT ROWID;
CREATE INDEX leasehold_dependency_job ON leasehold_dependency (job_id);
