-- serves code from 1
-- Limits of queues: how many of a queue's jobs may run at once, in all workers. See ARCHITECTURE.md.

ALTER TABLE leasehold.queue
  ADD running_limit  integer CHECK (running_limit >= 0),
  ADD limited_by     text,
  -- Since when a limit may have to do with leases that were taken before anybody knew of it; NULL: all
  -- leases of the queue have its gate.
  ADD unmarked_since timestamptz;

-- The queue whose limit this lease counts for. NULL where there was none: nobody else pays for the index.
ALTER TABLE leasehold.lease ADD gate text;
CREATE INDEX lease_gate ON leasehold.lease (gate) WHERE gate IS NOT NULL;

-- Gives the leases that were taken before a limit was set its gate; says whether that is over. A claim
-- that began before may commit for a while, so it is done again until the limit is a minute old. What
-- somebody has locked is about to end, or comes next time. Reads the small lease table.
CREATE FUNCTION leasehold.mark_gate(asked text, since timestamptz)
RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  found_here uuid[] := ARRAY (
    SELECT lease.job_id
    FROM leasehold.lease
    CROSS JOIN LATERAL (
      SELECT queue FROM leasehold.job WHERE job.id = lease.job_id OFFSET 0
    ) AS job
    WHERE lease.gate IS NULL
      AND job.queue = asked);
  marked integer;
BEGIN
  UPDATE leasehold.lease
  SET gate = asked
  WHERE job_id = ANY (ARRAY (
    SELECT lease.job_id
    FROM leasehold.lease
    WHERE lease.job_id = ANY (found_here)
    FOR UPDATE SKIP LOCKED));
  GET DIAGNOSTICS marked = ROW_COUNT;
  RETURN marked = cardinality(found_here) AND clock_timestamp() > since + interval '1 minute';
END
$$;

-- Says how many more of a queue's jobs may start, and keeps others from asking until the caller's
-- transaction ends: lock, then count, each a statement of its own. It is volatile, so that each has a
-- snapshot of its own, also inside one statement of the caller's. turnstile's primary key, lease_gate.
CREATE FUNCTION leasehold.queue_room(asked text, most bigint)
RETURNS bigint
LANGUAGE plpgsql
VOLATILE
SET enable_seqscan = off
SET enable_bitmapscan = off -- it never marks dead entries
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  said   leasehold.queue;
  mine   integer; -- the turnstile, when nobody else has it
  others bigint := 0; -- that run, and have no gate yet
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION USING
      ERRCODE = 'LH003',
      MESSAGE = 'leasehold.queue_room counts in a statement after its lock: it needs READ COMMITTED',
      HINT = 'ALTER ROLE … SET default_transaction_isolation = ''read committed''';
  END IF;
  -- Others hold it for one statement: it is worth a few looks. Nobody waits who has a lock.
  FOR look IN 1..8 LOOP
    mine := (
      SELECT number
      FROM leasehold.turnstile
      WHERE number = hashtext(E'\x1e' || asked) & 8191
      FOR UPDATE SKIP LOCKED);
    EXIT WHEN mine IS NOT NULL;
    PERFORM pg_sleep(0.002);
  END LOOP;
  IF mine IS NULL THEN
    RETURN 0;
  END IF;
  SELECT * INTO said FROM leasehold.queue WHERE name = asked;
  IF said.running_limit IS NULL THEN
    RETURN most;
  END IF;
  IF said.unmarked_since IS NOT NULL THEN
    IF leasehold.mark_gate(asked, said.unmarked_since) THEN
      UPDATE leasehold.queue
      SET unmarked_since = NULL
      WHERE name = ANY (ARRAY (
        SELECT name
        FROM leasehold.queue
        WHERE name = asked
          AND unmarked_since = said.unmarked_since
        FOR UPDATE SKIP LOCKED));
    END IF;
    others := (
      SELECT count(*)
      FROM leasehold.lease
      CROSS JOIN LATERAL (
        SELECT queue FROM leasehold.job WHERE job.id = lease.job_id OFFSET 0
      ) AS job
      WHERE lease.gate IS NULL
        AND job.queue = asked);
  END IF;
  RETURN greatest(0, least(most, said.running_limit - others - (
    SELECT count(*)
    FROM (SELECT FROM leasehold.lease WHERE lease.gate = asked LIMIT said.running_limit) AS held)));
END
$$;

-- What a tenant may have: jobs that wait, jobs that run, jobs enqueued in a time. NULL does not limit.
-- Enqueues of a tenant with a row here lock it, so they come one after the other; of others nobody does.
CREATE TABLE leasehold.quota (
  tenant     text             NOT NULL PRIMARY KEY CHECK (tenant <> ''),
  waiting    integer          CHECK (waiting >= 0),
  running    integer          CHECK (running >= 0),
  rate       double precision CHECK (rate > 0), -- jobs a second …
  burst      double precision CHECK (burst >= 1), -- … and at once, after a rest
  spare      integer          NOT NULL DEFAULT 0, -- so many may still come before it is counted again
  full_at    timestamptz, -- when the rate's bucket is full again; NULL: it is
  unmarked_since timestamptz, -- as a queue's: since when leases may not have their holder
  set_by     text,
  updated_at timestamptz      NOT NULL,
  CHECK ((rate IS NULL) = (burst IS NULL))
) WITH (fillfactor = 50);

CREATE INDEX quota_running ON leasehold.quota (tenant) WHERE running IS NOT NULL; -- claims read it whole

-- A tenant's live jobs, to count them. Jobs of no tenant are not in there.
CREATE INDEX ready_tenant ON leasehold.ready (tenant) WHERE tenant <> '';
CREATE INDEX scheduled_tenant ON leasehold.scheduled (tenant) WHERE tenant <> '';
CREATE INDEX parked_tenant ON leasehold.parked (tenant) WHERE tenant <> '';
CREATE INDEX waiting_tenant ON leasehold.waiting (tenant) WHERE tenant <> '';

-- The tenant whose running quota this lease counts for, as `gate` is of a queue's limit.
ALTER TABLE leasehold.lease ADD holder text;
CREATE INDEX lease_holder ON leasehold.lease (holder) WHERE holder IS NOT NULL;

-- Counts a tenant's jobs that have not ended and do not run, up to a number.
CREATE FUNCTION leasehold.count_waiting(asked text, most bigint)
RETURNS bigint
LANGUAGE sql
VOLATILE
AS $$
  SELECT count(*)
  FROM (
    SELECT FROM leasehold.ready WHERE tenant = asked AND tenant <> ''
    UNION ALL
    SELECT FROM leasehold.scheduled WHERE tenant = asked AND tenant <> ''
    UNION ALL
    SELECT FROM leasehold.parked WHERE tenant = asked AND tenant <> ''
    UNION ALL
    SELECT FROM leasehold.waiting WHERE tenant = asked AND tenant <> ''
    LIMIT most
  ) AS job
$$;

-- Locks a tenant's quotas, if it has some that an enqueue must keep to, for a while at most: a caller's
-- open transaction may have them. LH008 when it does for too long.
CREATE FUNCTION leasehold.lock_quota(asked text)
RETURNS leasehold.quota
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  said       leasehold.quota;
  is_endless boolean := current_setting('lock_timeout') = '0';
BEGIN
  IF asked <> leasehold.tenant() THEN -- it runs as the owner: not for tenants to lock each other's
    RAISE EXCEPTION USING ERRCODE = 'LH010', MESSAGE = 'these quotas are another tenant''s';
  END IF;
  IF is_endless THEN
    PERFORM set_config('lock_timeout', '5s', true);
  END IF;
  SELECT * INTO said
  FROM leasehold.quota
  WHERE tenant = asked
    AND (waiting IS NOT NULL OR rate IS NOT NULL)
  FOR UPDATE;
  IF is_endless THEN
    PERFORM set_config('lock_timeout', '0', true);
  END IF;
  RETURN said;
EXCEPTION
  WHEN lock_not_available THEN
    RAISE EXCEPTION USING ERRCODE = 'LH008', MESSAGE = asked;
END
$$;

-- Lets so many jobs of a tenant come, or raises LH007 and says when they might: lock, then count, each a
-- statement of its own. `are_written`: the jobs stand there already, and are counted with the others.
-- A count holds until as many have come as it left room for: in between only claims can make it less.
CREATE FUNCTION leasehold.admit(asked text, jobs bigint, moment timestamptz,
  are_written boolean DEFAULT false)
RETURNS boolean
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET enable_bitmapscan = off
AS $$
DECLARE
  said    leasehold.quota;
  tokens  double precision;
  missing double precision;
BEGIN
  IF NOT EXISTS (SELECT FROM leasehold.quota WHERE tenant = asked) THEN
    RETURN true;
  END IF;
  said := leasehold.lock_quota(asked);
  IF said.rate IS NOT NULL THEN
    tokens := said.burst
      - greatest(0, said.rate * coalesce(extract(epoch FROM said.full_at - moment), 0));
    missing := least(jobs, said.burst) - tokens; -- more than fit into a full bucket need a full one
    IF missing > 0 THEN
      RAISE EXCEPTION USING
        ERRCODE = 'LH007',
        MESSAGE = jsonb_build_object('tenant', asked, 'quota', 'rate', 'limit', said.burst,
          'retry_after', missing / said.rate);
    END IF;
    said.full_at := moment + make_interval(secs => (said.burst - tokens + jobs) / said.rate);
  END IF;
  IF said.waiting IS NOT NULL THEN
    IF said.spare < jobs THEN
      said.spare := said.waiting + CASE WHEN are_written THEN jobs ELSE 0 END
        - leasehold.count_waiting(asked, said.waiting + jobs + 1);
    END IF;
    IF said.spare < jobs THEN
      RAISE EXCEPTION USING
        ERRCODE = 'LH007',
        MESSAGE = jsonb_build_object('tenant', asked, 'quota', 'waiting', 'limit', said.waiting,
          'retry_after', NULL);
    END IF;
    said.spare := said.spare - jobs;
  END IF;
  IF said.tenant IS NOT NULL THEN
    UPDATE leasehold.quota SET spare = said.spare, full_at = said.full_at WHERE tenant = asked;
  END IF;
  RETURN true;
END
$$;

-- Lets these jobs come, or none of them; of those that are written, the ones made at that moment.
CREATE FUNCTION leasehold.admit_all(documents jsonb, moment timestamptz, are_written boolean)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  asked record;
BEGIN
  FOR asked IN
    SELECT document.tenant, count(DISTINCT document.id) AS jobs
    FROM jsonb_to_recordset(documents) AS document (id uuid, tenant text)
    WHERE document.tenant <> ''
      AND (NOT are_written OR EXISTS (
        SELECT FROM leasehold.job WHERE job.id = document.id AND job.created_at = moment))
    GROUP BY document.tenant
    ORDER BY document.tenant -- everybody locks in one order
  LOOP
    PERFORM leasehold.admit(asked.tenant, asked.jobs, moment, are_written);
  END LOOP;
END
$$;

-- Locks the quotas of these jobs' tenants: before their keys, as other enqueues do.
CREATE FUNCTION leasehold.lock_quotas(documents jsonb)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  asked text;
BEGIN
  FOR asked IN
    SELECT DISTINCT document ->> 'tenant'
    FROM jsonb_array_elements(documents) AS document
    WHERE document ->> 'tenant' <> ''
    ORDER BY 1
  LOOP
    PERFORM leasehold.lock_quota(asked);
  END LOOP;
END
$$;

-- Gives the leases that were taken before a quota was set their holder, as mark_gate does.
CREATE FUNCTION leasehold.mark_holder(asked text, since timestamptz)
RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  found_here uuid[] := ARRAY (
    SELECT job_id FROM leasehold.lease WHERE lease.tenant = asked AND lease.holder IS NULL);
  marked integer;
BEGIN
  UPDATE leasehold.lease
  SET holder = asked
  WHERE job_id = ANY (ARRAY (
    SELECT lease.job_id
    FROM leasehold.lease
    WHERE lease.job_id = ANY (found_here)
    FOR UPDATE SKIP LOCKED));
  GET DIAGNOSTICS marked = ROW_COUNT;
  RETURN marked = cardinality(found_here) AND clock_timestamp() > since + interval '1 minute';
END
$$;

-- Says how many more of a tenant's jobs may start, as queue_room does of a queue's. lease_holder.
CREATE FUNCTION leasehold.tenant_room(asked text, most bigint)
RETURNS bigint
LANGUAGE plpgsql
VOLATILE
SET enable_seqscan = off
SET enable_bitmapscan = off
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  said   leasehold.quota;
  mine   integer;
  others bigint := 0; -- that run, and have no holder yet
BEGIN
  FOR look IN 1..8 LOOP
    mine := (
      SELECT number
      FROM leasehold.turnstile
      WHERE number = hashtext(E'\x1d' || asked) & 8191
      FOR UPDATE SKIP LOCKED);
    EXIT WHEN mine IS NOT NULL;
    PERFORM pg_sleep(0.002);
  END LOOP;
  IF mine IS NULL THEN
    RETURN 0;
  END IF;
  SELECT * INTO said FROM leasehold.quota WHERE tenant = asked;
  IF said.running IS NULL THEN
    RETURN most;
  END IF;
  IF said.unmarked_since IS NOT NULL THEN
    IF leasehold.mark_holder(asked, said.unmarked_since) THEN
      UPDATE leasehold.quota
      SET unmarked_since = NULL
      WHERE tenant = ANY (ARRAY (
        SELECT tenant
        FROM leasehold.quota
        WHERE tenant = asked
          AND unmarked_since = said.unmarked_since
        FOR UPDATE SKIP LOCKED));
    END IF;
    others := (
      SELECT count(*) FROM leasehold.lease WHERE lease.tenant = asked AND lease.holder IS NULL);
  END IF;
  RETURN greatest(0, least(most, said.running - others - (
    SELECT count(*)
    FROM (SELECT FROM leasehold.lease WHERE lease.holder = asked LIMIT said.running) AS held)));
END
$$;

-- Lets jobs that tenants with a running quota have in ready and parked wait where that is counted; says
-- how many. What is locked is about to go. ready_tenant, parked_tenant.
CREATE FUNCTION leasehold.hold_tenants(most integer)
RETURNS bigint
LANGUAGE sql
VOLATILE
AS $$
  WITH tenant AS MATERIALIZED (
    SELECT ARRAY (SELECT tenant FROM leasehold.quota WHERE running IS NOT NULL) AS names
  ),
  ready AS (
    DELETE FROM leasehold.ready
    WHERE ctid = ANY (ARRAY (
      SELECT r.ctid
      FROM leasehold.ready AS r
      WHERE r.tenant = ANY ((SELECT names FROM tenant)::text[])
        AND r.tenant <> ''
      LIMIT most
      FOR UPDATE SKIP LOCKED))
    RETURNING job_id, created_at, attempt, failures, lapses, priority, queue, kind, tenant, batch
  ),
  parked AS (
    DELETE FROM leasehold.parked
    WHERE ctid = ANY (ARRAY (
      SELECT p.ctid
      FROM leasehold.parked AS p
      WHERE p.tenant = ANY ((SELECT names FROM tenant)::text[])
        AND p.tenant <> ''
      LIMIT most
      FOR UPDATE SKIP LOCKED))
    RETURNING job_id, created_at, attempt, failures, lapses, priority, queue, kind, tenant, batch
  ),
  held AS (
    INSERT INTO leasehold.waiting (job_id, created_at, attempt, failures, lapses, priority, queue, kind,
      tenant, batch, stage)
    SELECT *, '@' || tenant FROM ready
    UNION ALL
    SELECT *, '@' || tenant FROM parked
    RETURNING 1
  )
  SELECT count(*) FROM held
$$;
