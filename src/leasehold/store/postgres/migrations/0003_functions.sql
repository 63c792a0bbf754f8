-- serves code from 1
-- SQL is an API: these can be called from psql, a trigger or any language.

-- Makes a key of a job's arguments, as model/throttles.py does: texts and numbers, joined with ":".
CREATE FUNCTION leasehold.text_of(names text[], args jsonb)
RETURNS text
LANGUAGE plpgsql
IMMUTABLE
STRICT -- a throttle without arguments is its own key
AS $$
#variable_conflict use_variable
DECLARE
  name text;
  made text;
BEGIN
  FOREACH name IN ARRAY names LOOP
    IF coalesce(jsonb_typeof(args -> name), 'null') NOT IN ('string', 'number', 'boolean') THEN
      RAISE EXCEPTION USING
        ERRCODE = '22023',
        MESSAGE = format('the argument %I can''t be part of a key; it must be text or a number', name);
    END IF;
  END LOOP;
  made := array_to_string(ARRAY (SELECT args ->> each FROM unnest(names) AS each), ':');
  IF made = '' THEN
    RAISE EXCEPTION USING
      ERRCODE = '22023',
      MESSAGE = format('a key made of %s must not be empty', array_to_string(names, ' and '));
  END IF;
  RETURN made;
END
$$;

-- Makes a job's lane, with its tenant where that has it for itself, and refuses what can't be part of a
-- place, whose parts are told apart by control characters.
CREATE FUNCTION leasehold.check_place(lane text, share text, queue text, kind text, cost double precision,
  tenant text)
RETURNS text
LANGUAGE plpgsql
IMMUTABLE
AS $$
BEGIN
  IF concat(lane, share, queue, kind, tenant) ~ '[\x01-\x1f\x7f]' THEN
    RAISE EXCEPTION USING
      ERRCODE = '22023',
      MESSAGE = 'throttle, share, queue, kind and tenant of a job must be printable text';
  END IF;
  IF greatest(length(lane), length(share)) > 200 THEN
    RAISE EXCEPTION USING
      ERRCODE = '22023',
      MESSAGE = 'throttle and share of a job must not be longer than 200 characters';
  END IF;
  IF NOT coalesce(cost, 1) BETWEEN 0 AND 1e15 THEN
    RAISE EXCEPTION USING
      ERRCODE = '22023',
      MESSAGE = 'the cost of a job must be a number from 0 on';
  END IF;
  RETURN leasehold.own_lane(lane, tenant);
END
$$;

-- Refuses what can't be made a job of when another one has ended.
CREATE FUNCTION leasehold.check_callback(document jsonb)
RETURNS jsonb
LANGUAGE plpgsql
IMMUTABLE
STRICT
AS $$
BEGIN
  IF coalesce(document ->> 'kind', '') = '' OR document ?| '{id,args,batch,unique}' THEN
    RAISE EXCEPTION USING
      ERRCODE = '22023',
      MESSAGE = 'on_end must be an object with a "kind", and without id, args, batch and unique';
  END IF;
  RETURN document;
END
$$;

-- Reads jobs to enqueue, a JSON array of objects: what is missing comes from the kind's task, else a
-- default; throttle, share and cost from the task where the timeout is missing too, so that who says
-- nothing can't slip past a throttle. PostgreSQL puts this into the statements that call it; the task
-- is only looked up for what is missing.
-- Plain arguments of an encrypted task come from somebody who does not know its code.
CREATE FUNCTION leasehold.refuse_plain(kind text)
RETURNS jsonb
LANGUAGE plpgsql
STABLE
AS $$
BEGIN
  RAISE EXCEPTION USING
    ERRCODE = 'LH006',
    MESSAGE = format('jobs of %L are encrypted: enqueue them with a client that has the keys', kind),
    DETAIL = kind;
END
$$;

CREATE FUNCTION leasehold.read_jobs(documents jsonb, moment timestamptz)
RETURNS TABLE (id uuid, tenant text, queue text, kind text, args jsonb, priority smallint,
  max_attempts smallint, timeout_seconds real, lane text, batch uuid, created_by text,
  run_at timestamptz, share text, cost double precision, key text, needs jsonb, on_end jsonb, trace text)
LANGUAGE sql
STABLE
AS $$
  SELECT id, tenant, queue, kind, args, priority, max_attempts, timeout_seconds,
    CASE
      WHEN coalesce(lane, share) IS NOT NULL
        THEN leasehold.check_place(coalesce(lane, ''), share, queue, kind, cost, tenant)
    END,
    batch, created_by, run_at, share, cost, key, needs, on_end, trace
  FROM (
    SELECT
      asked.id,
      coalesce(asked.tenant, '') AS tenant,
      coalesce(asked.queue, task.queue, 'default') AS queue,
      asked.kind,
      CASE
        WHEN task.encrypted AND NOT coalesce(asked.args, '{}') ? '$enc'
          THEN leasehold.refuse_plain(asked.kind)
        ELSE coalesce(asked.args, '{}')
      END AS args,
      coalesce(asked.priority, task.priority, 0::smallint) AS priority,
      coalesce(asked.max_attempts, task.max_attempts, 5::smallint) AS max_attempts,
      coalesce(asked.timeout_seconds, task.timeout_seconds, 3600::real) AS timeout_seconds,
      coalesce(asked.lane, CASE
        WHEN asked.timeout_seconds IS NULL AND task.throttle IS NOT NULL
          THEN concat_ws(':', task.throttle,
            leasehold.text_of(task.throttle_by, coalesce(asked.args, '{}')))
      END) AS lane,
      asked.batch,
      asked.created_by,
      coalesce(asked.run_at, moment + make_interval(secs => asked.delay_seconds)) AS run_at,
      coalesce(asked.share, CASE
        WHEN asked.timeout_seconds IS NOT NULL THEN NULL
        WHEN task.share_by = '{}' THEN coalesce(asked.tenant, '')
        ELSE leasehold.text_of(task.share_by, coalesce(asked.args, '{}'))
      END) AS share,
      coalesce(asked.cost, CASE WHEN asked.timeout_seconds IS NULL THEN task.cost END) AS cost,
      asked."unique" ->> 'key' AS key,
      CASE WHEN asked.needs -> 'jobs' <> '[]' THEN asked.needs END AS needs,
      leasehold.check_callback(asked.on_end) AS on_end,
      left(asked.trace, 600) AS trace
    FROM jsonb_to_recordset(documents) AS asked (
      id uuid, tenant text, queue text, kind text, args jsonb, priority smallint,
      max_attempts smallint, timeout_seconds real, lane text, batch uuid, created_by text,
      delay_seconds double precision, run_at timestamptz, share text, cost double precision,
      "unique" jsonb, needs jsonb, on_end jsonb, trace text)
    LEFT JOIN LATERAL (
      SELECT queue, priority, max_attempts, timeout_seconds, throttle, throttle_by, share_by, cost,
        encrypted
      FROM leasehold.task
      WHERE task.kind = asked.kind
        AND (asked.queue IS NULL OR asked.priority IS NULL OR asked.max_attempts IS NULL
          OR asked.timeout_seconds IS NULL)
      OFFSET 0
    ) AS task ON true
  ) AS told
$$;

-- Writes those jobs that are not there yet, and names those that are; or raises for a clash.
CREATE FUNCTION leasehold.enqueue_missing(documents jsonb, moment timestamptz,
  ignores_quotas boolean DEFAULT false)
RETURNS TABLE (existing uuid)
LANGUAGE plpgsql
SET jit = off
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET enable_nestloop = on -- a worker's connection has none
AS $$
DECLARE
  clashing jsonb;
BEGIN
  WITH job AS (
    INSERT INTO leasehold.job (id, tenant, queue, kind, args, priority, max_attempts,
      timeout_seconds, lane, batch, created_by, created_at, run_at, share, cost, key, needs, on_end,
      trace)
    SELECT id, tenant, queue, kind, args, priority, max_attempts,
      timeout_seconds, lane, batch, created_by, moment, run_at, share, cost, key, needs, on_end,
      trace
    FROM leasehold.read_jobs(documents, moment)
    ON CONFLICT (id) DO NOTHING
    RETURNING id, tenant, queue, kind, priority, lane, batch, run_at, share, cost, needs, on_end
  ),
  called_back AS (
    INSERT INTO leasehold.callback (job_id, tenant)
    SELECT id, tenant
    FROM job
    WHERE on_end IS NOT NULL
  ),
  later AS (
    INSERT INTO leasehold.scheduled
      (job_id, run_at, queue, priority, created_at, kind, tenant, lane, batch)
    SELECT id, run_at, queue, priority, moment, kind, tenant, lane, batch
    FROM job
    WHERE run_at > moment
      AND needs IS NULL
  ),
  in_lane AS (
    INSERT INTO leasehold.waiting
      (job_id, queue, priority, created_at, kind, tenant, share, lane, cost, batch)
    SELECT id, queue, priority, moment, kind, tenant, coalesce(share, ''), lane, cost, batch
    FROM job
    WHERE lane IS NOT NULL
      AND (run_at IS NULL OR run_at <= moment)
      AND needs IS NULL
  )
  INSERT INTO leasehold.ready (job_id, queue, priority, created_at, kind, tenant, batch)
  SELECT id, queue, priority, moment, kind, tenant, batch
  FROM job
  WHERE lane IS NULL
    AND (run_at IS NULL OR run_at <= moment)
    AND needs IS NULL;
  IF documents @? '$[*].needs' THEN -- those wait for others first
    PERFORM leasehold.hold_back(documents, moment);
  END IF;

  IF NOT ignores_quotas AND documents @? '$[*] ? (@.tenant != "")' THEN
    PERFORM leasehold.admit_all(documents, moment, true);
  END IF;

  -- A later statement, so that it sees what the insert waited for.
  SELECT jsonb_agg(asked.id) INTO clashing
  FROM jsonb_to_recordset(documents) AS asked (id uuid, tenant text, kind text, args jsonb)
  LEFT JOIN leasehold.job ON job.id = asked.id
  WHERE CASE
    WHEN job.id IS NULL THEN leasehold.tenant() IS NOT NULL -- it stands there unseen: another tenant's
    ELSE (job.kind, job.tenant, job.args::jsonb)
      IS DISTINCT FROM (asked.kind, coalesce(asked.tenant, ''), coalesce(asked.args, '{}'))
  END;
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

-- Writes jobs whose ids are all new, or raises unique_violation.
CREATE FUNCTION leasehold.insert_jobs(documents jsonb, moment timestamptz)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  WITH asked AS MATERIALIZED (
    SELECT * FROM leasehold.read_jobs(documents, moment)
  ),
  job AS (
    INSERT INTO leasehold.job (id, tenant, queue, kind, args, priority, max_attempts,
      timeout_seconds, lane, batch, created_by, created_at, run_at, share, cost, key, needs,
      on_end, trace)
    SELECT id, tenant, queue, kind, args, priority, max_attempts,
      timeout_seconds, lane, batch, created_by, moment, run_at, share, cost, key, needs,
      on_end, trace
    FROM asked
  ),
  called_back AS (
    INSERT INTO leasehold.callback (job_id, tenant)
    SELECT id, tenant
    FROM asked
    WHERE on_end IS NOT NULL
  ),
  later AS (
    INSERT INTO leasehold.scheduled
      (job_id, run_at, queue, priority, created_at, kind, tenant, lane, batch)
    SELECT id, run_at, queue, priority, moment, kind, tenant, lane, batch
    FROM asked
    WHERE run_at > moment
      AND needs IS NULL
  ),
  in_lane AS (
    INSERT INTO leasehold.waiting
      (job_id, queue, priority, created_at, kind, tenant, share, lane, cost, batch)
    SELECT id, queue, priority, moment, kind, tenant, coalesce(share, ''), lane, cost, batch
    FROM asked
    WHERE lane IS NOT NULL
      AND (run_at IS NULL OR run_at <= moment)
      AND needs IS NULL
  )
  INSERT INTO leasehold.ready (job_id, queue, priority, created_at, kind, tenant, batch)
  SELECT id, queue, priority, moment, kind, tenant, batch
  FROM asked
  WHERE lane IS NULL
    AND (run_at IS NULL OR run_at <= moment)
    AND needs IS NULL;
  IF documents @? '$[*].needs' THEN -- those wait for others first
    PERFORM leasehold.hold_back(documents, moment);
  END IF;
END
$$;

-- Enqueue only inserts: it locks no row that a claim, a finish or another enqueue needs.
-- `jobs` is a JSON array of objects; what is missing comes from the kind's task, else a default.
-- The same id with the same kind, tenant and arguments is the same job and is returned as existing;
-- any other use of a known id is an error (SQLSTATE LH001) and nothing is written. A job whose key
-- (`"unique": {"key": …}`) another one has is not made, and returned too: enqueue_keyed says why. A
-- `batch` that takes no more members is an error (LH005). `on_end` is a job to make when this one ended.
-- What a tenant's quotas do not allow is an error (LH007); callbacks ignore them: an end must not fail.
CREATE FUNCTION leasehold.enqueue_many(jobs text, skew_seconds double precision DEFAULT 0,
  ignores_quotas boolean DEFAULT false)
RETURNS TABLE (existing uuid)
LANGUAGE plpgsql
AS $$
DECLARE
  moment    timestamptz := clock_timestamp() + make_interval(secs => skew_seconds);
  documents jsonb := jobs::jsonb;
BEGIN
  IF documents @? '$[*].unique' THEN -- jobs with a key are not only inserted
    RETURN QUERY
    SELECT keyed.asked
    FROM leasehold.enqueue_keyed(jobs, skew_seconds) AS keyed
    WHERE keyed.verdict NOT IN ('replaced', 'behind');
    RETURN;
  END IF;
  IF documents @? '$[*].batch' THEN
    PERFORM leasehold.join_batches(documents);
  END IF;
  IF NOT ignores_quotas AND documents @? '$[*] ? (@.tenant != "")' THEN
    PERFORM leasehold.admit_all(documents, moment, false);
  END IF;
  -- Nearly always all ids are new. To find out by a plain insert is a sixth cheaper than ON CONFLICT.
  PERFORM leasehold.insert_jobs(documents, moment);
EXCEPTION
  WHEN unique_violation OR SQLSTATE 'LH007' THEN -- those that stand there already need no quota
    RETURN QUERY
    SELECT again.existing FROM leasehold.enqueue_missing(documents, moment, ignores_quotas) AS again;
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
-- `throttle` is a rule or a rule and its key ('domain:a.com'; '@domain:a.com' is the tenant's own). What is
-- left out is as the kind's task has it. With a `key` it returns the job that stands, another one if that has the key; `on_duplicate`
-- is skip, replace, debounce or latest, `unique_for` is live, ever or a time. With `after` it waits
-- until those jobs have succeeded, or one of them (`after_any`), or have ended in any way
-- (`even_if_failed`). `on_end` is a job to make when this one has ended: '{"kind": "mail.done"}'.
-- `trace` is a W3C traceparent, so that traces go on in the job.
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
  notify       boolean DEFAULT false,
  throttle     text DEFAULT NULL,
  share        text DEFAULT NULL,
  cost         double precision DEFAULT NULL,
  key          text DEFAULT NULL,
  on_duplicate text DEFAULT NULL,
  unique_for   text DEFAULT NULL,
  cooldown     interval DEFAULT NULL,
  max_wait     interval DEFAULT NULL,
  after        uuid[] DEFAULT NULL,
  after_any    boolean DEFAULT false,
  even_if_failed boolean DEFAULT false,
  batch        uuid DEFAULT NULL,
  on_end       jsonb DEFAULT NULL,
  trace        text DEFAULT NULL)
RETURNS uuid
LANGUAGE plpgsql
AS $$
#variable_conflict use_variable
DECLARE
  chosen uuid := coalesce(id, leasehold.new_id());
  jobs   jsonb;
  rule   jsonb := jsonb_strip_nulls(jsonb_build_object(
    'key', key, 'mode', on_duplicate, 'ever', nullif(coalesce(unique_for = 'ever', false), false),
    'period_seconds', extract(epoch FROM nullif(nullif(unique_for, 'live'), 'ever')::interval),
    'cooldown_seconds', extract(epoch FROM cooldown), 'max_wait_seconds', extract(epoch FROM max_wait)));
BEGIN
  IF coalesce(kind, '') = '' THEN
    RAISE EXCEPTION 'leasehold.enqueue: kind must not be empty';
  END IF;
  IF jsonb_typeof(args) IS DISTINCT FROM 'object' THEN
    RAISE EXCEPTION 'leasehold.enqueue: args must be a JSON object of named arguments';
  END IF;
  jobs := jsonb_build_array(jsonb_strip_nulls(jsonb_build_object(
    'id', chosen, 'kind', kind, 'queue', queue, 'priority', priority,
    'max_attempts', max_attempts, 'delay_seconds', extract(epoch FROM delay), 'run_at', run_at,
    'tenant', tenant, 'created_by', created_by, 'lane', throttle, 'share', share,
    'cost', cost, 'unique', nullif(rule, '{}'), 'batch', batch, 'on_end', on_end, 'trace', trace,
    'needs', CASE
      WHEN cardinality(after) > 0
        THEN jsonb_build_object('jobs', after, 'any', after_any, 'even_if_failed', even_if_failed)
    END)) || jsonb_build_object('args', args));
  IF rule = '{}' THEN
    PERFORM leasehold.enqueue_many(jobs::text);
  ELSE
    chosen := coalesce(
      (SELECT keyed.standing FROM leasehold.enqueue_keyed(jobs::text) AS keyed LIMIT 1), chosen);
  END IF;
  IF notify THEN
    -- one job, any worker's turn; '*': the kind's task decides about the queue
    PERFORM pg_notify('leasehold', format('1:%s:%s', (random() * 1000)::integer, coalesce(queue, '*')));
  END IF;
  RETURN chosen;
END
$$;

-- Ends an attempt inside the caller's own transaction, or raises (SQLSTATE LH002), so that a COMMIT
-- sent together with it can't commit the caller's writes without the job's end. Returns the queue of
-- the job's callback, if it has one.
CREATE FUNCTION leasehold.settle(
  job_id          uuid,
  fence           bigint,
  worker          bigint,
  result          jsonb DEFAULT NULL,
  elapsed_seconds double precision DEFAULT NULL,
  skew_seconds    double precision DEFAULT 0,
  spent           double precision DEFAULT NULL)
RETURNS text
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
  IF spent <> ended.cost THEN -- of a rate; locks no lane: the key's next claim takes it in
    INSERT INTO leasehold.charge (lane, tenant, amount)
    VALUES (ended.lane, ended.tenant, spent - ended.cost);
  END IF;
  IF EXISTS (SELECT FROM leasehold.callback AS c WHERE c.job_id = job_id) THEN
    RETURN leasehold.call_back(job_id, 'succeeded', ended.attempt, NULL, make_interval(secs => skew_seconds));
  END IF;
  RETURN NULL;
END
$$;
