-- serves code from 1
-- A job's state is the table it stands in. A row that is deleted once can't be deleted twice:
-- that is the fence. No foreign keys, no partitions; see ARCHITECTURE.md, "Storage". Columns of a
-- fixed width stand first: they are found without walking over the others.

CREATE TYPE leasehold.outcome_state AS ENUM
  ('succeeded', 'failed', 'snoozed', 'released', 'lapsed', 'cancelled', 'dead');

-- What was asked. Written once, never updated.
CREATE TABLE leasehold.job (
  id              uuid        NOT NULL PRIMARY KEY,
  created_at      timestamptz NOT NULL,
  timeout_seconds real        NOT NULL,
  priority        smallint    NOT NULL,
  max_attempts    smallint    NOT NULL,
  tenant          text        NOT NULL DEFAULT '',
  queue           text        NOT NULL,
  kind            text        NOT NULL,
  args            json        NOT NULL, -- as it was sent: jsonb would be written out again by each claim
  key             text,
  lane            text COLLATE "C", -- its throttle's key, '' with a share alone; NULL: it never waits in a lane
  batch           uuid,
  created_by      text,
  run_at          timestamptz, -- as asked; NULL when it was due at once
  share           text, -- whose turn it counts as
  cost            double precision, -- what it is expected to spend of a rate; NULL: 1
  on_end          json, -- the job to make when this one has ended
  needs           json, -- the jobs that must have ended before: {"jobs": […], "any": …, "even_if_failed": …}
  trace           text -- whose work this is part of: W3C traceparent, perhaps a blank and tracestate
);

-- Due and free to run, without a throttle or a share. Claiming deletes the row.
CREATE TABLE leasehold.ready (
  job_id     uuid        NOT NULL,
  created_at timestamptz NOT NULL,
  attempt    integer     NOT NULL DEFAULT 0,
  failures   integer     NOT NULL DEFAULT 0,
  lapses     integer     NOT NULL DEFAULT 0,
  priority   smallint    NOT NULL,
  is_suspect boolean     NOT NULL DEFAULT false,
  queue      text        NOT NULL,
  kind       text        NOT NULL,
  tenant     text        NOT NULL DEFAULT '',
  batch      uuid
);
CREATE UNIQUE INDEX ready_order
  ON leasehold.ready (queue, is_suspect, priority DESC, created_at, job_id);
CREATE UNIQUE INDEX ready_job ON leasehold.ready (job_id);

-- Not due yet: enqueued for later, snoozed, reclaimed, or failed (failures > 0) and to be retried.
CREATE TABLE leasehold.scheduled (
  job_id     uuid        NOT NULL PRIMARY KEY,
  run_at     timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  attempt    integer     NOT NULL DEFAULT 0,
  failures   integer     NOT NULL DEFAULT 0,
  lapses     integer     NOT NULL DEFAULT 0,
  priority   smallint    NOT NULL,
  queue      text        NOT NULL,
  kind       text        NOT NULL,
  tenant     text        NOT NULL DEFAULT '',
  lane       text COLLATE "C",
  batch      uuid
);
CREATE INDEX scheduled_due ON leasehold.scheduled (run_at);

-- Ready once, but of a kind that the claiming worker did not know. (Jobs with a lane stay in theirs.)
CREATE TABLE leasehold.parked (
  job_id     uuid        NOT NULL PRIMARY KEY,
  created_at timestamptz NOT NULL,
  attempt    integer     NOT NULL,
  failures   integer     NOT NULL,
  lapses     integer     NOT NULL,
  priority   smallint    NOT NULL,
  queue      text        NOT NULL,
  kind       text        NOT NULL,
  tenant     text        NOT NULL DEFAULT '',
  batch      uuid
);
CREATE UNIQUE INDEX parked_order
  ON leasehold.parked (kind, queue, priority DESC, created_at, job_id);

-- The right to run one attempt until a moment; what is to be run stands in job. Finish and reclaim
-- delete the row: whichever does so first has the job, the other finds nothing.
CREATE SEQUENCE leasehold.fence;
CREATE TABLE leasehold.lease (
  job_id           uuid        NOT NULL PRIMARY KEY,
  fence            bigint      NOT NULL,
  worker           bigint      NOT NULL,
  claimed_at       timestamptz NOT NULL,
  until            timestamptz NOT NULL,
  lease_seconds    real        NOT NULL,
  attempt          integer     NOT NULL,
  failures         integer     NOT NULL,
  lapses           integer     NOT NULL,
  priority         smallint    NOT NULL,
  cancel_requested boolean     NOT NULL DEFAULT false,
  tenant           text        NOT NULL DEFAULT '',
  lane             text COLLATE "C",
  cancelled_by     text,
  cost             double precision, -- what its claim reserved of a rate; NULL: nothing
  batch            uuid,
  shares_slot      boolean     NOT NULL DEFAULT false -- another of its worker's, which runs after it, has it
);
-- The slots of a throttle's key are its leases, of those that run one after the other the last: this
-- counts them.
CREATE INDEX lease_lane ON leasehold.lease (lane) WHERE lane <> '' AND NOT shares_slot;

-- Append-only: one row for each ended lease, and one for an ending without a lease.
CREATE TABLE leasehold.outcome (
  job_id      uuid                    NOT NULL,
  attempt     integer                 NOT NULL,
  state       leasehold.outcome_state NOT NULL,
  failures    integer                 NOT NULL, -- after this attempt
  lapses      integer                 NOT NULL, -- after this attempt
  fence       bigint,
  worker      bigint,
  started_at  timestamptz,
  finished_at timestamptz             NOT NULL,
  tenant      text                    NOT NULL DEFAULT '',
  result      jsonb,
  error       text,
  traceback   text,
  PRIMARY KEY (job_id, attempt)
);
CREATE INDEX outcome_unhappy ON leasehold.outcome (state, job_id) WHERE state <> 'succeeded';
CREATE INDEX outcome_finished ON leasehold.outcome USING brin (finished_at);

-- What workers know of a kind, so that SQL can enqueue and reclaim without its code.
CREATE TABLE leasehold.task (
  kind            text        NOT NULL PRIMARY KEY,
  queue           text        NOT NULL,
  priority        smallint    NOT NULL,
  max_attempts    smallint    NOT NULL,
  timeout_seconds real        NOT NULL,
  dies_on_lapse   boolean     NOT NULL DEFAULT false,
  seen_at         timestamptz NOT NULL,
  throttle        text,   -- a rule, or a rule and its key
  throttle_by     text[], -- … the key made of these arguments
  share_by        text[], -- '{}': the tenant
  cost            double precision,
  encrypted       boolean     NOT NULL DEFAULT false -- plain arguments are refused where it is asked for
);

CREATE TABLE leasehold.worker (
  id         bigint      NOT NULL PRIMARY KEY,
  name       text        NOT NULL,
  queues     text[]      NOT NULL,
  kinds      text[]      NOT NULL,
  slots      integer     NOT NULL,
  running    integer     NOT NULL DEFAULT 0,
  version    text        NOT NULL,
  started_at timestamptz NOT NULL,
  seen_at    timestamptz NOT NULL,
  ended_at   timestamptz
);
