-- serves code from 1
-- A job's state is the table it stands in. A row that is deleted once can't be deleted twice:
-- that is the fence. Times are integer microseconds since the epoch, UTC. Ids are text: readable,
-- and SQLite before 3.41 can't turn the hex digits of a JSON parameter into a blob.
-- WITHOUT ROWID stores a row in its primary key, so that each table is one tree less to write.

-- What was asked. Written once, never updated.
CREATE TABLE leasehold_job (
  id              TEXT    NOT NULL PRIMARY KEY,
  tenant          TEXT    NOT NULL DEFAULT '',
  queue           TEXT    NOT NULL,
  kind            TEXT    NOT NULL,
  args            TEXT    NOT NULL,
  priority        INTEGER NOT NULL,
  max_attempts    INTEGER NOT NULL,
  timeout_seconds REAL    NOT NULL,
  key             TEXT,
  lane            TEXT, -- its throttle's key; '' with a share only, NULL with neither
  share           TEXT, -- whose turn it counts as
  cost            REAL, -- what it is expected to spend of a rate; NULL: 1
  batch           TEXT,
  on_end          TEXT, -- the job to make when this one has ended, JSON
  needs           TEXT, -- the jobs that must have ended before, JSON: jobs, any, even_if_failed
  created_by      TEXT,
  created_at      INTEGER NOT NULL,
  run_at          INTEGER, -- as asked; NULL when it was due at once
  trace           TEXT, -- whose work this is part of: W3C traceparent, perhaps a blank and tracestate
  -- U+001F is between the parts of a place, see leasehold_waiting; U+001E ends the tenant in a lane that
  -- is its own, so nobody can write another's
  CONSTRAINT lane_without_separator CHECK
    (lane IS NULL OR instr(queue || kind || coalesce(share, '') || lane, char(31)) = 0 AND iif(
      substr(lane, 1, 1) = '@',
      substr(lane, instr(lane, ':') + 1, length(tenant) + 1) = tenant || char(30)
        AND instr(substr(lane, instr(lane, char(30)) + 1), char(30)) = 0,
      instr(lane, char(30)) = 0))
) WITHOUT ROWID;

-- Due and free to run, in the order of the claim. Claiming deletes the row. What has a lane never
-- stands here, nor in parked, but in waiting.
CREATE TABLE leasehold_ready (
  queue      TEXT    NOT NULL,
  is_suspect INTEGER NOT NULL DEFAULT 0,
  priority   INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  job_id     TEXT    NOT NULL,
  attempt    INTEGER NOT NULL DEFAULT 0,
  failures   INTEGER NOT NULL DEFAULT 0,
  lapses     INTEGER NOT NULL DEFAULT 0,
  kind       TEXT    NOT NULL,
  tenant     TEXT    NOT NULL DEFAULT '',
  batch      TEXT,
  PRIMARY KEY (queue, is_suspect, priority DESC, created_at, job_id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX leasehold_ready_job ON leasehold_ready (job_id);

-- Not due yet: enqueued for later, snoozed, reclaimed, or failed (failures > 0) and to be retried.
CREATE TABLE leasehold_scheduled (
  job_id     TEXT    NOT NULL PRIMARY KEY,
  run_at     INTEGER NOT NULL,
  queue      TEXT    NOT NULL,
  priority   INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  attempt    INTEGER NOT NULL DEFAULT 0,
  failures   INTEGER NOT NULL DEFAULT 0,
  lapses     INTEGER NOT NULL DEFAULT 0,
  kind       TEXT    NOT NULL,
  tenant     TEXT    NOT NULL DEFAULT '',
  lane       TEXT,
  batch      TEXT
) WITHOUT ROWID;
CREATE INDEX leasehold_scheduled_due ON leasehold_scheduled (run_at);
CREATE INDEX leasehold_scheduled_failed ON leasehold_scheduled (job_id) WHERE failures > 0;

-- Ready once, but of a kind that the claiming worker did not know.
CREATE TABLE leasehold_parked (
  job_id     TEXT    NOT NULL PRIMARY KEY,
  queue      TEXT    NOT NULL,
  priority   INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  attempt    INTEGER NOT NULL,
  failures   INTEGER NOT NULL,
  lapses     INTEGER NOT NULL,
  kind       TEXT    NOT NULL,
  tenant     TEXT    NOT NULL DEFAULT '',
  batch      TEXT
) WITHOUT ROWID;
CREATE UNIQUE INDEX leasehold_parked_order
  ON leasehold_parked (kind, queue, priority DESC, created_at, job_id);

-- One number for each claim; it only ever grows.
CREATE TABLE leasehold_fence (
  is_only INTEGER NOT NULL PRIMARY KEY CHECK (is_only = 1),
  last    INTEGER NOT NULL
);
INSERT INTO leasehold_fence (is_only, last) VALUES (1, 0);

-- The right to run one attempt until a moment; what is to be run stands in job. Finish and reclaim
-- delete the row: whichever does so first has the job, the other finds nothing.
CREATE TABLE leasehold_lease (
  job_id           TEXT    NOT NULL PRIMARY KEY,
  fence            INTEGER NOT NULL,
  worker           INTEGER NOT NULL,
  claimed_at       INTEGER NOT NULL,
  until            INTEGER NOT NULL,
  lease_seconds    REAL    NOT NULL,
  attempt          INTEGER NOT NULL,
  failures         INTEGER NOT NULL,
  lapses           INTEGER NOT NULL,
  priority         INTEGER NOT NULL,
  cancel_requested INTEGER NOT NULL DEFAULT 0,
  tenant           TEXT    NOT NULL DEFAULT '',
  lane             TEXT,
  cost             REAL, -- what its claim reserved of a rate; NULL: nothing to give back
  cancelled_by     TEXT,
  batch            TEXT,
  shares_slot      INTEGER NOT NULL DEFAULT 0 -- another of its worker's, which runs after it, has it
) WITHOUT ROWID;
-- A throttle's slots are the leases of its key, of those that run one after the other the last.
CREATE INDEX leasehold_lease_lane ON leasehold_lease (lane, worker, shares_slot)
  WHERE lane <> '' AND NOT shares_slot;

-- Append-only: one row for each ended lease, and one for an ending without a lease.
CREATE TABLE leasehold_outcome (
  job_id      TEXT    NOT NULL,
  attempt     INTEGER NOT NULL,
  -- The usual one first and by itself: a list is built anew for each row, for a fifth of a finish.
  state       TEXT    NOT NULL CHECK (state = 'succeeded' OR state IN
    ('failed', 'snoozed', 'released', 'lapsed', 'cancelled', 'dead')),
  failures    INTEGER NOT NULL, -- after this attempt
  lapses      INTEGER NOT NULL, -- after this attempt
  fence       INTEGER,
  worker      INTEGER,
  started_at  INTEGER,
  finished_at INTEGER NOT NULL,
  tenant      TEXT    NOT NULL DEFAULT '',
  result      TEXT,
  error       TEXT,
  traceback   TEXT,
  PRIMARY KEY (job_id, attempt)
) WITHOUT ROWID;
CREATE INDEX leasehold_outcome_unhappy
  ON leasehold_outcome (state, job_id) WHERE state <> 'succeeded';

-- What workers know of a kind, so that reclaim and enqueue by name know its policy without its code.
CREATE TABLE leasehold_task (
  kind            TEXT    NOT NULL PRIMARY KEY,
  queue           TEXT    NOT NULL,
  priority        INTEGER NOT NULL,
  max_attempts    INTEGER NOT NULL,
  timeout_seconds REAL    NOT NULL,
  dies_on_lapse   INTEGER NOT NULL DEFAULT 0,
  throttle        TEXT, -- a rule, or a rule and its key
  throttle_by     TEXT, -- … the key made of these arguments, a JSON array
  share_by        TEXT, -- likewise; []: the tenant
  cost            REAL,
  seen_at         INTEGER NOT NULL,
  encrypted       INTEGER NOT NULL DEFAULT 0 -- plain arguments are refused where it is asked for
) WITHOUT ROWID;

CREATE TABLE leasehold_worker (
  id         INTEGER NOT NULL PRIMARY KEY,
  name       TEXT    NOT NULL,
  queues     TEXT    NOT NULL, -- a JSON array
  kinds      TEXT    NOT NULL, -- a JSON array
  slots      INTEGER NOT NULL,
  running    INTEGER NOT NULL DEFAULT 0,
  version    TEXT    NOT NULL,
  started_at INTEGER NOT NULL,
  seen_at    INTEGER NOT NULL,
  ended_at   INTEGER
);
