-- serves code from 1
-- Jobs that belong together (batch), that call back when they have ended (callback), and that wait for
-- others (dependent, dependency). Nothing here is locked by a claim or a finish: what follows from an
-- end is looked for after its commit, and by a sweep. See ARCHITECTURE.md.

-- An id that anybody would make of this one for this purpose, so that what follows from a job exists
-- once: its time is kept, so that it sorts beside it. The same as derive_id in model/ids.py.
CREATE FUNCTION leasehold.derived_id(base uuid, purpose text)
RETURNS uuid
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT encode(
    set_bit(set_bit(set_bit(set_bit(set_bit(set_bit(
      overlay(decode(md5(base::text || ':' || purpose), 'hex')
        PLACING substring(uuid_send(base) FROM 1 FOR 6) FROM 1 FOR 6),
      52, 1), 53, 1), 54, 1), 55, 0), 71, 1), 70, 0),
    'hex')::uuid
$$;

-- `round` counts how often it was opened again to retry what failed: each round has its own callback.
CREATE TABLE leasehold.batch (
  id           uuid        NOT NULL PRIMARY KEY,
  tenant       text        NOT NULL DEFAULT '',
  name         text,
  parent       uuid, -- the batch that ends only after this one
  meta         json        NOT NULL DEFAULT '{}',
  on_end       json, -- the job to make when all members have ended
  on_failure   json, -- … when the first one has ended dead
  round        integer     NOT NULL DEFAULT 1,
  created_by   text,
  created_at   timestamptz NOT NULL,
  sealed_at    timestamptz, -- from here on only running members add to it
  failed_at    timestamptz, -- when the first dead one of this round was noticed
  cancelled_at timestamptz,
  cancelled_by text,
  ended_at     timestamptz
);
CREATE INDEX batch_open ON leasehold.batch (id) WHERE ended_at IS NULL;
CREATE INDEX batch_parent ON leasehold.batch (parent) WHERE parent IS NOT NULL;

CREATE INDEX job_batch ON leasehold.job (batch, id) WHERE batch IS NOT NULL;
CREATE INDEX ready_batch ON leasehold.ready (batch, is_suspect, priority DESC, created_at, job_id)
  WHERE batch IS NOT NULL;
CREATE INDEX scheduled_batch ON leasehold.scheduled (batch) WHERE batch IS NOT NULL;
CREATE INDEX parked_batch ON leasehold.parked (batch) WHERE batch IS NOT NULL;
CREATE INDEX waiting_batch ON leasehold.waiting (batch) WHERE batch IS NOT NULL;
CREATE INDEX lease_batch ON leasehold.lease (batch) WHERE batch IS NOT NULL;

-- The live jobs that have an on_end. Whatever ends one takes its row and makes the callback job, in the
-- same statement; while there are none, nobody pays.
CREATE TABLE leasehold.callback (
  job_id uuid NOT NULL PRIMARY KEY,
  tenant text NOT NULL DEFAULT ''
);

-- The jobs that wait for others now: they stand in waiting, at stage '#'.
CREATE TABLE leasehold.dependent (
  job_id uuid NOT NULL PRIMARY KEY,
  tenant text NOT NULL DEFAULT ''
);

-- Which job was asked to wait for which; kept as long as the job.
CREATE TABLE leasehold.dependency (
  needs  uuid NOT NULL,
  job_id uuid NOT NULL,
  tenant text NOT NULL DEFAULT '',
  PRIMARY KEY (needs, job_id)
);
CREATE INDEX dependency_job ON leasehold.dependency (job_id, needs);
