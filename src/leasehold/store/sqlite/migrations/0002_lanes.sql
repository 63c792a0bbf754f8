-- serves code from 1
-- Lanes: jobs with a throttle or a share stand in waiting, never in ready, until they may start.
-- SQLite's write lock is the turnstile: a claim counts and takes in one transaction.

-- Due, and waiting for its lane. `place` says where: all rows of one place are one lane, and a claim
-- takes them in this order. One text, because SQLite seeks a row value `(share, lane) > (?, ?)` from
-- the first EQUAL row on and walks over all of them: 14 s instead of 1 ms at 100,000 of one lane.
-- Stored, because a delete would have to make it anew to find it in the index: twice as dear.
CREATE TABLE leasehold_waiting (
  job_id     TEXT    NOT NULL PRIMARY KEY,
  queue      TEXT    NOT NULL,
  stage      TEXT    NOT NULL DEFAULT '', -- '' for all, '!' suspects, '=kind' for who knows it, '#' behind another job
  priority   INTEGER NOT NULL,
  share      TEXT    NOT NULL DEFAULT '',
  lane       TEXT    NOT NULL DEFAULT '', -- its throttle's key
  created_at INTEGER NOT NULL,
  attempt    INTEGER NOT NULL DEFAULT 0,
  failures   INTEGER NOT NULL DEFAULT 0,
  lapses     INTEGER NOT NULL DEFAULT 0,
  cost       REAL,
  kind       TEXT    NOT NULL,
  tenant     TEXT    NOT NULL DEFAULT '',
  batch      TEXT,
  place      TEXT    NOT NULL GENERATED ALWAYS AS (
    queue || char(31) || stage || char(31) || printf('%05d', 32767 - priority)
      || char(31) || share || char(31) || lane
  ) STORED
) WITHOUT ROWID;
-- It has all columns, since a lane's jobs lie scattered in the table: a claim reads them here in one place.
CREATE UNIQUE INDEX leasehold_waiting_place ON leasehold_waiting
  (place, created_at, job_id, kind, attempt, failures, lapses, tenant, cost, batch,
   queue, stage, priority, share, lane);

-- What people and code say about throttles: a rule ('domain') or one key of it ('domain:a.com'); of a
-- throttle that is each tenant's own ('@domain') also a tenant's keys, all of them or one ('@domain:acme'
-- and U+001E, and the key). Claims only read it. A row with a tenant is what that tenant says about its own
-- keys: it can only make them stricter.
CREATE TABLE leasehold_throttle (
  name         TEXT    NOT NULL,
  tenant       TEXT    NOT NULL DEFAULT '',
  running      INTEGER CHECK (running >= 0),    -- at once, in all processes
  per_worker   INTEGER CHECK (per_worker >= 0), -- at once, in one worker
  rate         REAL    CHECK (rate > 0),        -- units per second
  burst        REAL    CHECK (burst > 0),
  paused_until INTEGER,
  pause_reason TEXT,
  paused_by    TEXT,
  set_by       TEXT,                            -- NULL: as the code declared it
  updated_at   INTEGER NOT NULL,
  PRIMARY KEY (name, tenant),
  CHECK ((rate IS NULL) = (burst IS NULL))
) WITHOUT ROWID;

-- How far a key's rate is used up: the moment at which its bucket is full again. No row: it is full.
-- Written by claims, in the transaction that writes the leases.
CREATE TABLE leasehold_bucket (
  lane    TEXT    NOT NULL,
  tenant  TEXT    NOT NULL DEFAULT '', -- whose own the key is
  full_at INTEGER NOT NULL,
  PRIMARY KEY (lane, tenant)
) WITHOUT ROWID;

-- What attempts spent more, or less, than was reserved: finish adds, the key's next claim takes in.
CREATE TABLE leasehold_charge (
  lane   TEXT NOT NULL,
  tenant TEXT NOT NULL DEFAULT '',
  amount REAL NOT NULL
);
CREATE INDEX leasehold_charge_lane ON leasehold_charge (lane);

-- Shares whose weight somebody set.
CREATE TABLE leasehold_share (
  name       TEXT    NOT NULL PRIMARY KEY,
  tenant     TEXT    NOT NULL DEFAULT '',
  weight     INTEGER NOT NULL CHECK (weight BETWEEN 1 AND 1000),
  set_by     TEXT,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;

-- Queues that somebody has changed.
CREATE TABLE leasehold_queue (
  name          TEXT    NOT NULL PRIMARY KEY,
  tenant        TEXT    NOT NULL DEFAULT '',
  paused_until  INTEGER,
  pause_reason  TEXT,
  paused_by     TEXT,
  aging_seconds REAL    CHECK (aging_seconds > 0),
  updated_at    INTEGER NOT NULL
) WITHOUT ROWID;

-- Writing a job makes it claimable in the same statement: an enqueue can't be torn in two, not
-- even on a caller's connection that commits each statement by itself. What needs other jobs has a
-- trigger of its own, in 0009.
CREATE TRIGGER leasehold_job_due
AFTER INSERT ON leasehold_job
WHEN NEW.lane IS NULL AND NEW.needs IS NULL AND (NEW.run_at IS NULL OR NEW.run_at <= NEW.created_at)
BEGIN
  INSERT INTO leasehold_ready
    (queue, priority, created_at, job_id, kind, tenant, batch)
  VALUES
    (NEW.queue, NEW.priority, NEW.created_at, NEW.id, NEW.kind, NEW.tenant, NEW.batch);
END;

CREATE TRIGGER leasehold_job_due_in_lane
AFTER INSERT ON leasehold_job
WHEN NEW.lane IS NOT NULL AND NEW.needs IS NULL AND (NEW.run_at IS NULL OR NEW.run_at <= NEW.created_at)
BEGIN
  INSERT INTO leasehold_waiting
    (job_id, queue, priority, share, lane, created_at, cost, kind, tenant, batch)
  VALUES
    (NEW.id, NEW.queue, NEW.priority, coalesce(NEW.share, ''), NEW.lane, NEW.created_at, NEW.cost,
     NEW.kind, NEW.tenant, NEW.batch);
END;

CREATE TRIGGER leasehold_job_for_later
AFTER INSERT ON leasehold_job
WHEN NEW.run_at > NEW.created_at AND NEW.needs IS NULL
BEGIN
  INSERT INTO leasehold_scheduled
    (job_id, run_at, queue, priority, created_at, kind, tenant, lane, batch)
  VALUES
    (NEW.id, NEW.run_at, NEW.queue, NEW.priority, NEW.created_at, NEW.kind, NEW.tenant, NEW.lane,
     NEW.batch);
END;
