-- serves code from 1
-- SQL is an API: these can be called from psql, a trigger or any language.

-- Reads jobs to enqueue, a JSON array of objects: what is missing comes from the kind's task, else a
-- default. PostgreSQL puts this into the statements that call it; the task is only looked up for
-- what is missing.
CREATE FUNCTION leasehold.read_jobs(documents jsonb, moment timestamptz)
RETURNS TABLE (id uuid, tenant text, queue text, kind text, args jsonb, priority smallint,
  max_attempts smallint, timeout_seconds real, lane text, batch uuid, created_by text,
  run_at timestamptz)
LANGUAGE sql
STABLE
AS $$
  SELECT
    asked.id,
    coalesce(asked.tenant, ''),
    coalesce(asked.queue,
      (SELECT task.queue FROM leasehold.task WHERE task.kind = asked.kind), 'default'),
    asked.kind,
    coalesce(asked.args, '{}'),
    coalesce(asked.priority,
      (SELECT task.priority FROM leasehold.task WHERE task.kind = asked.kind), 0::smallint),
    coalesce(asked.max_attempts,
      (SELECT task.max_attempts FROM leasehold.task WHERE task.kind = asked.kind), 5::smallint),
    coalesce(asked.timeout_seconds,
      (SELECT task.timeout_seconds FROM leasehold.task WHERE task.kind = asked.kind), 3600::real),
    asked.lane,
    asked.batch,
    asked.created_by,
    coalesce(asked.run_at, moment + make_interval(secs => asked.delay_seconds))
  FROM jsonb_to_recordset(documents) AS asked (
    id uuid, tenant text, queue text, kind text, args jsonb, priority smallint,
    max_attempts smallint, timeout_seconds real, lane text, batch uuid, created_by text,
    delay_seconds double precision, run_at timestamptz)
$$;

-- Writes those jobs that are not there yet, and names those that are; or raises for a clash.
CREATE FUNCTION leasehold.enqueue_missing(documents jsonb, moment timestamptz)
RETURNS TABLE (existing uuid)
LANGUAGE plpgsql
SET jit = off
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
  clashing jsonb;
BEGIN
  WITH job AS (
    INSERT INTO leasehold.job (id, tenant, queue, kind, args, priority, max_attempts,
      timeout_seconds, lane, batch, created_by, created_at, run_at)
    SELECT id, tenant, queue, kind, args, priority, max_attempts,
      timeout_seconds, lane, batch, created_by, moment, run_at
    FROM leasehold.read_jobs(documents, moment)
    ON CONFLICT (id) DO NOTHING
    RETURNING id, tenant, queue, kind, priority, lane, batch, run_at
  ),
  later AS (
    INSERT INTO leasehold.scheduled
      (job_id, run_at, queue, priority, created_at, kind, tenant, lane, batch)
    SELECT id, run_at, queue, priority, moment, kind, tenant, lane, batch
    FROM job
    WHERE run_at > moment
  )
  INSERT INTO leasehold.ready (job_id, queue, priority, created_at, kind, tenant, lane, batch)
  SELECT id, queue, priority, moment, kind, tenant, lane, batch
  FROM job
  WHERE run_at IS NULL OR run_at <= moment;

  -- A later statement, so that it sees what the insert waited for.
  SELECT jsonb_agg(asked.id) INTO clashing
  FROM jsonb_to_recordset(documents) AS asked (id uuid, tenant text, kind text, args jsonb)
  JOIN leasehold.job ON job.id = asked.id
  WHERE (job.kind, job.tenant, job.args::jsonb)
    IS DISTINCT FROM (asked.kind, coalesce(asked.tenant, ''), coalesce(asked.args, '{}'));
  IF clashing IS NOT NULL THEN
    RAISE EXCEPTION USING
      ERRCODE = 'LH001',
      MESSAGE = clashing::text,
      HINT = 'these ids belong to jobs of another kind or with other arguments';
  END IF;

  RETURN QUERY
  SELECT DISTINCT asked.id
  FROM jsonb_to_recordset(documents) AS asked (id uuid)
  JOIN leasehold.job ON job.id = asked.id
  WHERE job.created_at <> moment;
END
$$;

-- Enqueue only inserts: it locks no row that a claim, a finish or another enqueue needs.
-- `jobs` is a JSON array of objects; what is missing comes from the kind's task, else a default.
-- The same id with the same kind, tenant and arguments is the same job and is returned as existing;
-- any other use of a known id is an error (SQLSTATE LH001) and nothing is written.
CREATE FUNCTION leasehold.enqueue_many(jobs text, skew_seconds double precision DEFAULT 0)
RETURNS TABLE (existing uuid)
LANGUAGE plpgsql
AS $$
DECLARE
  moment    timestamptz := clock_timestamp() + make_interval(secs => skew_seconds);
  documents jsonb := jobs::jsonb;
BEGIN
  -- Nearly always all ids are new. To find out by a plain insert is a sixth cheaper than ON CONFLICT.
  WITH asked AS MATERIALIZED (
    SELECT * FROM leasehold.read_jobs(documents, moment)
  ),
  job AS (
    INSERT INTO leasehold.job (id, tenant, queue, kind, args, priority, max_attempts,
      timeout_seconds, lane, batch, created_by, created_at, run_at)
    SELECT id, tenant, queue, kind, args, priority, max_attempts,
      timeout_seconds, lane, batch, created_by, moment, run_at
    FROM asked
  ),
  later AS (
    INSERT INTO leasehold.scheduled
      (job_id, run_at, queue, priority, created_at, kind, tenant, lane, batch)
    SELECT id, run_at, queue, priority, moment, kind, tenant, lane, batch
    FROM asked
    WHERE run_at > moment
  )
  INSERT INTO leasehold.ready (job_id, queue, priority, created_at, kind, tenant, lane, batch)
  SELECT id, queue, priority, moment, kind, tenant, lane, batch
  FROM asked
  WHERE run_at IS NULL OR run_at <= moment;
EXCEPTION
  WHEN unique_violation THEN
    RETURN QUERY SELECT again.existing FROM leasehold.enqueue_missing(documents, moment) AS again;
END
$$;

-- A time-ordered id for callers without a library for it (RFC 9562, version 7).
CREATE FUNCTION leasehold.new_id()
RETURNS uuid
LANGUAGE sql
VOLATILE
AS $$
  SELECT encode(
    set_bit(set_bit(
      overlay(
        uuid_send(gen_random_uuid())
        PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
        FROM 1 FOR 6),
      52, 1), 53, 1),
    'hex')::uuid
$$;

-- One job: SELECT leasehold.enqueue('mail.send', '{"to": 7}', delay => '5 minutes');
-- `notify` wakes idle workers at commit; without it polling finds the job within a second.
CREATE FUNCTION leasehold.enqueue(
  kind         text,
  args         jsonb DEFAULT '{}',
  queue        text DEFAULT NULL,
  priority     integer DEFAULT NULL,
  max_attempts integer DEFAULT NULL,
  delay        interval DEFAULT NULL,
  run_at       timestamptz DEFAULT NULL,
  tenant       text DEFAULT '',
  id           uuid DEFAULT NULL,
  created_by   text DEFAULT NULL,
  notify       boolean DEFAULT false)
RETURNS uuid
LANGUAGE plpgsql
AS $$
#variable_conflict use_variable
DECLARE
  chosen uuid := coalesce(id, leasehold.new_id());
BEGIN
  IF coalesce(kind, '') = '' THEN
    RAISE EXCEPTION 'leasehold.enqueue: kind must not be empty';
  END IF;
  IF jsonb_typeof(args) IS DISTINCT FROM 'object' THEN
    RAISE EXCEPTION 'leasehold.enqueue: args must be a JSON object of named arguments';
  END IF;
  PERFORM leasehold.enqueue_many(
    jsonb_build_array(jsonb_strip_nulls(jsonb_build_object(
      'id', chosen, 'kind', kind, 'queue', queue, 'priority', priority,
      'max_attempts', max_attempts, 'delay_seconds', extract(epoch FROM delay), 'run_at', run_at,
      'tenant', tenant, 'created_by', created_by)) || jsonb_build_object('args', args))::text);
  IF notify THEN
    -- one job, any worker's turn; '*': the kind's task decides about the queue
    PERFORM pg_notify('leasehold', format('1:%s:%s', (random() * 1000)::integer, coalesce(queue, '*')));
  END IF;
  RETURN chosen;
END
$$;

-- Ends an attempt inside the caller's own transaction, or raises (SQLSTATE LH002), so that a COMMIT
-- sent together with it can't commit the caller's writes without the job's end.
CREATE FUNCTION leasehold.settle(
  job_id          uuid,
  fence           bigint,
  worker          bigint,
  result          jsonb DEFAULT NULL,
  elapsed_seconds double precision DEFAULT NULL,
  skew_seconds    double precision DEFAULT 0)
RETURNS void
LANGUAGE plpgsql
AS $$
#variable_conflict use_variable
DECLARE
  moment timestamptz := clock_timestamp() + make_interval(secs => skew_seconds);
  ended  leasehold.lease;
BEGIN
  -- The fence: only the worker that still holds this very lease, and was not told to stop.
  DELETE FROM leasehold.lease AS l
  WHERE l.job_id = job_id
    AND l.fence = fence
    AND l.worker = worker
    AND NOT l.cancel_requested
  RETURNING l.* INTO ended;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING
      ERRCODE = 'LH002',
      MESSAGE = format('job %s: the lease with fence %s does not stand any more', job_id, fence);
  END IF;
  INSERT INTO leasehold.outcome
    (job_id, attempt, state, failures, lapses, fence, worker, started_at, finished_at, tenant, result)
  VALUES
    (job_id, ended.attempt, 'succeeded', ended.failures, ended.lapses, fence, worker,
     moment - make_interval(secs => elapsed_seconds), moment, ended.tenant, result);
END
$$;
