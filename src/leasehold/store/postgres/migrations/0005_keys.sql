-- serves code from 1
-- Keys: at most one job per key. Who holds a key is decided when the next one asks for it, by looking
-- whether the holder's job is alive; so nothing that ends a job has to give its key back.

CREATE TABLE leasehold.key (
  tenant         text             NOT NULL,
  key            text             NOT NULL,
  job_id         uuid             NOT NULL, -- the holder: the last job accepted under the key
  next           uuid,                      -- waits behind the holder, accepted while that ran
  taken_at       timestamptz      NOT NULL, -- when the holder was accepted
  series_at      timestamptz      NOT NULL, -- when the first of those was that put off or replaced each other
  succeeded_at   timestamptz,               -- the last success of a former holder
  memory_seconds double precision NOT NULL DEFAULT 0, -- the longest that anybody wanted it remembered
  is_urgent      boolean          NOT NULL DEFAULT false, -- the running holder is to stop for next
  PRIMARY KEY (tenant, key)
) WITH (fillfactor = 80);
CREATE INDEX key_next ON leasehold.key (tenant, key) WHERE next IS NOT NULL;

-- The table a live job stands in; NULL when it ended or is gone. One statement, one snapshot: a job
-- that moves is seen in exactly one of them. Primary keys.
CREATE FUNCTION leasehold.place_of(job uuid)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT CASE
    WHEN EXISTS (SELECT FROM leasehold.lease WHERE lease.job_id = job) THEN 'lease'
    WHEN EXISTS (SELECT FROM leasehold.ready WHERE ready.job_id = job) THEN 'ready'
    WHEN EXISTS (SELECT FROM leasehold.scheduled WHERE scheduled.job_id = job) THEN 'scheduled'
    WHEN EXISTS (SELECT FROM leasehold.waiting WHERE waiting.job_id = job) THEN 'waiting'
    WHEN EXISTS (SELECT FROM leasehold.parked WHERE parked.job_id = job) THEN 'parked'
  END
$$;

CREATE FUNCTION leasehold.success_of(job uuid)
RETURNS timestamptz
LANGUAGE sql
STABLE
AS $$
  SELECT finished_at FROM leasehold.outcome WHERE job_id = job AND state = 'succeeded'
$$;

-- Why a key without a live job is held all the same, by the words of the one who asks; NULL: it is
-- free. The same as `remember` in model/keys.py.
CREATE FUNCTION leasehold.memory_of(held leasehold.key, rule jsonb, moment timestamptz,
  OUT verdict text, OUT until timestamptz)
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  cooled timestamptz := coalesce(leasehold.success_of(held.job_id), held.succeeded_at)
    + make_interval(secs => (rule ->> 'cooldown_seconds')::double precision);
BEGIN
  IF (rule ->> 'ever')::boolean THEN
    verdict := 'ever';
    RETURN;
  END IF;
  until := held.taken_at + make_interval(secs => (rule ->> 'period_seconds')::double precision);
  verdict := CASE WHEN cooled > coalesce(until, '-infinity') THEN 'cooldown' ELSE 'period' END;
  until := greatest(until, cooled);
  IF until IS NULL OR until <= moment THEN
    verdict := NULL;
    until := NULL;
  END IF;
END
$$;

-- Ends a waiting job as cancelled, wherever it waits. False when it does not wait, or was just moving.
CREATE FUNCTION leasehold.end_waiting(job uuid, moment timestamptz, why text)
RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  ended_attempt integer;
BEGIN
  WITH ready AS (
    DELETE FROM leasehold.ready WHERE job_id = job RETURNING job_id, attempt, failures, lapses, tenant
  ),
  scheduled AS (
    DELETE FROM leasehold.scheduled WHERE job_id = job RETURNING job_id, attempt, failures, lapses, tenant
  ),
  waiting AS (
    DELETE FROM leasehold.waiting WHERE job_id = job RETURNING job_id, attempt, failures, lapses, tenant
  ),
  parked AS (
    DELETE FROM leasehold.parked WHERE job_id = job RETURNING job_id, attempt, failures, lapses, tenant
  )
  INSERT INTO leasehold.outcome (job_id, attempt, state, failures, lapses, finished_at, tenant, error)
  SELECT job_id, attempt + 1, 'cancelled', failures, lapses, moment, tenant, why
  FROM (
    SELECT * FROM ready
    UNION ALL
    SELECT * FROM scheduled
    UNION ALL
    SELECT * FROM waiting
    UNION ALL
    SELECT * FROM parked
  ) AS ended
  RETURNING attempt INTO ended_attempt;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  IF EXISTS (SELECT FROM leasehold.callback WHERE callback.job_id = job) THEN
    PERFORM leasehold.call_back(job, 'cancelled', ended_attempt, why, moment - clock_timestamp());
  END IF;
  RETURN true;
END
$$;

-- Raises (SQLSTATE LH004) when a live job, other than this one, has the key.
CREATE FUNCTION leasehold.refuse_live(held leasehold.key, but uuid)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  stands uuid;
BEGIN
  FOREACH stands IN ARRAY ARRAY[held.next, held.job_id] LOOP
    IF stands IS DISTINCT FROM but AND leasehold.place_of(stands) IS NOT NULL THEN
      RAISE EXCEPTION USING
        ERRCODE = 'LH004',
        MESSAGE = jsonb_build_object('job', but, 'key', held.key, 'holder', stands)::text,
        HINT = 'a live job has this key: cancel it, or let it end';
    END IF;
  END LOOP;
END
$$;

-- Gives a key back to a job that an operator retries, before the job itself is locked, or raises. Does
-- nothing for a job without a key.
CREATE FUNCTION leasehold.take_key(job_id uuid, skew_seconds double precision DEFAULT 0)
RETURNS void
LANGUAGE plpgsql
SET lock_timeout = '5s'
AS $$
#variable_conflict use_variable
DECLARE
  moment timestamptz := clock_timestamp() + make_interval(secs => skew_seconds);
  held   leasehold.key;
BEGIN
  -- Lock …
  INSERT INTO leasehold.key AS k (tenant, key, job_id, taken_at, series_at)
  SELECT job.tenant, job.key, job.id, moment, moment
  FROM leasehold.job
  WHERE job.id = job_id AND job.key IS NOT NULL
  ON CONFLICT (tenant, key) DO UPDATE
  SET job_id = k.job_id -- a write, so that REPEATABLE READ notices
  RETURNING k.* INTO held;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  -- … then look, in a later statement.
  PERFORM leasehold.refuse_live(held, job_id);
  UPDATE leasehold.key AS k
  SET job_id = job_id,
    next = NULL,
    is_urgent = false,
    taken_at = moment,
    series_at = moment,
    succeeded_at = coalesce(leasehold.success_of(k.job_id), k.succeeded_at)
  WHERE k.tenant = held.tenant AND k.key = held.key;
END
$$;

-- Forgets the key of a job that an operator deletes, before the job itself. One that waits behind it
-- keeps the row: hand_over makes it the holder.
CREATE FUNCTION leasehold.release_key(job_id uuid)
RETURNS void
LANGUAGE plpgsql
SET lock_timeout = '5s'
AS $$
#variable_conflict use_variable
DECLARE
  held leasehold.key;
BEGIN
  -- Lock …
  SELECT k.* INTO held
  FROM leasehold.job
  JOIN leasehold.key AS k ON k.tenant = job.tenant AND k.key = job.key
  WHERE job.id = job_id
    AND k.job_id = job.id
  FOR UPDATE OF k;
  -- … then look, in a later statement.
  IF FOUND AND leasehold.place_of(held.next) IS NULL THEN
    DELETE FROM leasehold.key AS k
    WHERE k.tenant = held.tenant AND k.key = held.key;
  END IF;
END
$$;

-- Forgets what is remembered of a key; false when there is nothing. Raises while a live job has it.
CREATE FUNCTION leasehold.forget_key(key text, tenant text DEFAULT '')
RETURNS boolean
LANGUAGE plpgsql
SET lock_timeout = '5s'
AS $$
#variable_conflict use_variable
DECLARE
  held leasehold.key;
BEGIN
  SELECT k.* INTO held
  FROM leasehold.key AS k
  WHERE k.tenant = tenant AND k.key = key
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM leasehold.refuse_live(held, NULL); -- a later statement than the lock
  DELETE FROM leasehold.key AS k
  WHERE k.tenant = tenant AND k.key = key;
  RETURN true;
END
$$;
