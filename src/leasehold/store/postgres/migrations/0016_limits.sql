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
      WHERE number = hashtext(E'\x1e' || asked) & 1023
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
