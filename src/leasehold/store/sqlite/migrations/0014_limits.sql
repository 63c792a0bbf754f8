-- serves code from 1
-- Limits of queues: how many of a queue's jobs may run at once, in all workers. See ARCHITECTURE.md.

ALTER TABLE leasehold_queue ADD running_limit INTEGER CHECK (running_limit >= 0);
ALTER TABLE leasehold_queue ADD limited_by TEXT;
-- Set on PostgreSQL only: here the write lock lets a limit count all that runs at once.
ALTER TABLE leasehold_queue ADD unmarked_since INTEGER;

-- The queue whose limit this lease counts for. NULL where there was none: nobody else pays for the index.
ALTER TABLE leasehold_lease ADD gate TEXT;
CREATE INDEX leasehold_lease_gate ON leasehold_lease (gate) WHERE gate IS NOT NULL;

-- What a tenant may have: jobs that wait, jobs that run, jobs enqueued in a time. NULL does not limit.
CREATE TABLE leasehold_quota (
  tenant     TEXT    NOT NULL PRIMARY KEY CHECK (tenant <> ''),
  waiting    INTEGER CHECK (waiting >= 0),
  running    INTEGER CHECK (running >= 0),
  rate       REAL    CHECK (rate > 0), -- jobs a second …
  burst      REAL    CHECK (burst >= 1), -- … and at once, after a rest
  spare      INTEGER NOT NULL DEFAULT 0, -- so many may still come before it is counted again
  full_at    INTEGER, -- when the rate's bucket is full again; NULL: it is
  unmarked_since INTEGER, -- set on PostgreSQL only, as a queue's
  set_by     TEXT,
  updated_at INTEGER NOT NULL,
  CHECK ((rate IS NULL) = (burst IS NULL))
) WITHOUT ROWID;

-- A tenant's live jobs, to count them. Jobs of no tenant are not in there.
CREATE INDEX leasehold_ready_tenant ON leasehold_ready (tenant) WHERE tenant <> '';
CREATE INDEX leasehold_scheduled_tenant ON leasehold_scheduled (tenant) WHERE tenant <> '';
CREATE INDEX leasehold_parked_tenant ON leasehold_parked (tenant) WHERE tenant <> '';
CREATE INDEX leasehold_waiting_tenant ON leasehold_waiting (tenant) WHERE tenant <> '';
CREATE INDEX leasehold_lease_tenant ON leasehold_lease (tenant) WHERE tenant <> '';
