-- serves code from 1
-- Jobs that wait for others. One that does stands in waiting at stage '#', which no claim asks for, and
-- has a row in dependent. Nothing is counted down: whoever ended a job looks, after that commit, at
-- those that wait for it, and a sweep looks at all of them. See ARCHITECTURE.md.

-- Refuses (SQLSTATE LH010) jobs that need what is not there for the tenant that they are enqueued for:
-- to wait for it would tell of it, and hand on its result. Primary key.
CREATE FUNCTION leasehold.refuse_foreign_needs(documents jsonb)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  missing text;
BEGIN
  SELECT needed.id INTO missing
  FROM jsonb_array_elements(documents) AS document
  CROSS JOIN LATERAL jsonb_array_elements_text(document -> 'needs' -> 'jobs') AS needed (id)
  LEFT JOIN LATERAL (
    SELECT job.id FROM leasehold.job WHERE job.id = needed.id::uuid AND job.tenant = leasehold.tenant()
    OFFSET 0
  ) AS own ON true
  WHERE own.id IS NULL
  LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION USING
      ERRCODE = 'LH010',
      MESSAGE = format('there is no job %s to wait for', missing);
  END IF;
END
$$;

-- Lets the jobs of an enqueue wait that need others, in the transaction that wrote them at that moment.
CREATE FUNCTION leasehold.hold_back(documents jsonb, moment timestamptz)
RETURNS void
LANGUAGE plpgsql
SET jit = off
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET enable_nestloop = on -- a worker's connection has none, and would read all jobs
AS $$
DECLARE
  loops uuid;
BEGIN
  WITH held AS (
    INSERT INTO leasehold.waiting (job_id, queue, stage, priority, created_at, kind, tenant, batch)
    SELECT job.id, job.queue, '#', job.priority, job.created_at, job.kind, job.tenant, job.batch
    FROM jsonb_to_recordset(documents) AS asked (id uuid, needs jsonb)
    CROSS JOIN LATERAL (
      SELECT * FROM leasehold.job WHERE job.id = asked.id OFFSET 0
    ) AS job
    WHERE asked.needs IS NOT NULL
      AND job.needs IS NOT NULL
      AND job.created_at = moment -- not one that stood there already
    ON CONFLICT (job_id) DO NOTHING -- the same job twice
    RETURNING job_id, tenant
  ),
  marked AS (
    INSERT INTO leasehold.dependent (job_id, tenant)
    SELECT job_id, tenant
    FROM held
  )
  INSERT INTO leasehold.dependency (needs, job_id, tenant)
  SELECT DISTINCT needed.id::uuid, held.job_id, held.tenant
  FROM held
  CROSS JOIN LATERAL (
    SELECT job.needs FROM leasehold.job WHERE job.id = held.job_id OFFSET 0
  ) AS job
  CROSS JOIN LATERAL json_array_elements_text(job.needs -> 'jobs') AS needed (id);
  IF leasehold.tenant() IS NOT NULL THEN
    PERFORM leasehold.refuse_foreign_needs(documents);
  END IF;
  SELECT d.job_id INTO loops
  FROM jsonb_to_recordset(documents) AS asked (id uuid, needs jsonb)
  JOIN leasehold.dependency AS d ON d.needs = asked.id AND d.job_id = asked.id
  LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION USING
      ERRCODE = '22023',
      MESSAGE = format('job %s can''t wait for itself', loops);
  END IF;
END
$$;

-- How each job that is needed stands to the one that needs it: open while it lives, done, bad; or old,
-- when it ended badly before that one was last ended itself: who retries that one wants it to wait for
-- a better end. Read by job_id. A view, since functions in functions are planned anew for each row: a
-- look at a thousand took 1.8 s. `(SELECT true …)`, since an EXISTS may be turned into a hash of all.
CREATE VIEW leasehold.need AS
SELECT
  d.job_id,
  d.needs,
  CASE
    WHEN (SELECT true FROM leasehold.lease WHERE lease.job_id = d.needs) THEN 'open'
    WHEN (SELECT true FROM leasehold.ready WHERE ready.job_id = d.needs) THEN 'open'
    WHEN (SELECT true FROM leasehold.scheduled WHERE scheduled.job_id = d.needs) THEN 'open'
    WHEN (SELECT true FROM leasehold.waiting WHERE waiting.job_id = d.needs) THEN 'open'
    WHEN (SELECT true FROM leasehold.parked WHERE parked.job_id = d.needs) THEN 'open'
    ELSE (
      SELECT CASE
        WHEN ended.state = 'succeeded' THEN 'done'
        WHEN own.finished_at IS NULL OR ended.finished_at > own.finished_at THEN 'bad'
        ELSE 'old' -- or deleted, or it never was
      END
      FROM (SELECT 1) AS one
      LEFT JOIN LATERAL (
        SELECT o.state, o.finished_at
        FROM leasehold.outcome AS o
        WHERE o.job_id = d.needs
        ORDER BY o.attempt DESC
        LIMIT 1
      ) AS ended ON true
      LEFT JOIN LATERAL (
        SELECT o.finished_at
        FROM leasehold.outcome AS o
        WHERE o.job_id = d.job_id
        ORDER BY o.attempt DESC
        LIMIT 1
      ) AS own ON true
    )
  END AS state
FROM leasehold.dependency AS d;

-- Says which of these jobs may go, and which never can, with the reason; nothing of those that have to
-- wait on. Who knows that only `recent` ones have ended since the last look is answered sooner: of a
-- thousand that are needed, one that lives says enough, and the newest lives longest. Primary keys,
-- dependency_job.
CREATE FUNCTION leasehold.judge_needs(jobs uuid[], recent uuid[])
RETURNS TABLE (job_id uuid, verdict text, reason text)
LANGUAGE sql
STABLE
SET jit = off
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET enable_bitmapscan = off -- the index is walked in its order, and only as far as needed: a fan-in of
SET enable_sort = off -- 10,000 was read whole at each end
SET enable_nestloop = on
AS $$
  WITH judged AS (
    SELECT job.id, job.is_any, decisive.needs AS because,
      CASE
        WHEN job.is_any AND decisive.needs IS NOT NULL THEN 'release'
        WHEN job.is_any AND open.needs IS NULL THEN 'cancel'
        WHEN job.is_any THEN NULL
        WHEN decisive.needs IS NOT NULL THEN 'cancel'
        WHEN open.needs IS NULL THEN 'release'
      END AS verdict
    FROM unnest(jobs) AS asked (id)
    CROSS JOIN LATERAL (
      SELECT job.id, coalesce((job.needs ->> 'any')::boolean, false) AS is_any,
        coalesce((job.needs ->> 'even_if_failed')::boolean, false) AS is_patient
      FROM leasehold.job
      WHERE job.id = asked.id
      OFFSET 0
    ) AS job
    LEFT JOIN LATERAL (
      SELECT need.needs
      FROM leasehold.need
      WHERE need.job_id = job.id
        AND need.state IN ('open', CASE WHEN job.is_patient THEN 'open' ELSE 'old' END)
      ORDER BY need.needs DESC
      LIMIT 1
    ) AS open ON true
    LEFT JOIN LATERAL ( -- one that ends the wait: a failure where all are needed, else a success
      (
        SELECT need.needs
        FROM leasehold.need
        WHERE (job.is_any OR NOT job.is_patient)
          AND recent IS NOT NULL
          AND open.needs IS NOT NULL
          AND need.job_id = job.id
          AND need.needs = ANY (recent)
          AND CASE
            WHEN job.is_any AND job.is_patient THEN need.state <> 'open'
            ELSE need.state = CASE WHEN job.is_any THEN 'done' ELSE 'bad' END
          END
        ORDER BY need.needs
        LIMIT 1
      )
      UNION ALL
      (
        SELECT need.needs
        FROM leasehold.need
        WHERE (job.is_any OR NOT job.is_patient)
          AND (recent IS NULL OR open.needs IS NULL)
          AND need.job_id = job.id
          AND CASE
            WHEN job.is_any AND job.is_patient THEN need.state <> 'open'
            ELSE need.state = CASE WHEN job.is_any THEN 'done' ELSE 'bad' END
          END
        ORDER BY need.needs
        LIMIT 1
      )
      LIMIT 1
    ) AS decisive ON true
  )
  SELECT id, verdict,
    CASE
      WHEN verdict = 'cancel' AND is_any
        THEN 'cancelled because none of the jobs that it waits for succeeded'
      WHEN verdict = 'cancel'
        THEN format('cancelled because job %s that it waits for is %s', because, coalesce((
          SELECT outcome.state::text
          FROM leasehold.outcome
          WHERE outcome.job_id = because
          ORDER BY outcome.attempt DESC
          LIMIT 1
        ), 'gone'))
    END
  FROM judged
  WHERE verdict IS NOT NULL
$$;

-- Lets those of these waiting jobs go that have what they need, and ends those that never can have it.
-- Waits for nobody: what somebody else is moving is found by the next sweep. `called` is the queue of a
-- callback that was made.
CREATE FUNCTION leasehold.release_dependents(
  jobs uuid[], recent uuid[] DEFAULT NULL, skew_seconds double precision DEFAULT 0)
RETURNS TABLE (job_id uuid, queue text, is_cancelled boolean, called text)
LANGUAGE plpgsql
SET jit = off
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET enable_nestloop = on -- a worker's connection has none, and would read all jobs
AS $$
#variable_conflict use_column
DECLARE
  moment timestamptz := clock_timestamp() + make_interval(secs => skew_seconds);
  mine   uuid[];
BEGIN
  -- Look without a lock: nearly always they have to wait on. Who ended the last job that one of them
  -- needs comes by here after that commit, and sees all the others ended.
  mine := ARRAY (SELECT judged.job_id FROM leasehold.judge_needs(jobs, recent) AS judged);
  IF mine = '{}' THEN
    RETURN;
  END IF;
  -- Lock …
  mine := ARRAY (
    SELECT w.job_id
    FROM leasehold.waiting AS w
    WHERE w.job_id = ANY (mine)
      AND w.stage = '#'
    FOR UPDATE SKIP LOCKED);
  -- … then look, in a later statement: somebody may have retried what they need.
  RETURN QUERY
  WITH judged AS MATERIALIZED (
    SELECT * FROM leasehold.judge_needs(mine, recent)
  ),
  freed AS ( -- locked above: nobody else can
    DELETE FROM leasehold.waiting AS w
    WHERE w.job_id = ANY (ARRAY (SELECT judged.job_id FROM judged))
    RETURNING w.job_id, w.queue, w.priority, w.created_at, w.attempt, w.failures, w.lapses, w.kind,
      w.tenant, w.batch
  ),
  unmarked AS (
    DELETE FROM leasehold.dependent AS d
    WHERE d.job_id = ANY (ARRAY (SELECT judged.job_id FROM judged))
  ),
  moving AS MATERIALIZED (
    SELECT freed.*, judged.verdict, judged.reason, job.lane, job.share, job.cost,
      CASE WHEN freed.attempt = 0 THEN job.run_at END AS run_at -- who retried it wants it now
    FROM freed
    JOIN judged ON judged.job_id = freed.job_id
    CROSS JOIN LATERAL (
      SELECT j.run_at, j.lane, j.share, j.cost FROM leasehold.job AS j WHERE j.id = freed.job_id OFFSET 0
    ) AS job
  ),
  ended AS (
    INSERT INTO leasehold.outcome (job_id, attempt, state, failures, lapses, finished_at, tenant, error)
    SELECT job_id, attempt + 1, 'cancelled', failures, lapses, moment, tenant, reason
    FROM moving
    WHERE verdict = 'cancel'
    RETURNING job_id, attempt, error
  ),
  called AS MATERIALIZED ( -- in the transaction of the end
    SELECT ended.job_id,
      leasehold.call_back(ended.job_id, 'cancelled', ended.attempt, ended.error,
        make_interval(secs => skew_seconds)) AS queue
    FROM ended
    WHERE EXISTS (SELECT FROM leasehold.callback AS c WHERE c.job_id = ended.job_id)
  ),
  later AS (
    INSERT INTO leasehold.scheduled
      (job_id, run_at, queue, priority, created_at, attempt, failures, lapses, kind, tenant, lane, batch)
    SELECT job_id, run_at, queue, priority, created_at, attempt, failures, lapses, kind, tenant, lane, batch
    FROM moving
    WHERE verdict = 'release' AND run_at > moment
  ),
  in_lane AS (
    INSERT INTO leasehold.waiting
      (job_id, queue, priority, created_at, attempt, failures, lapses, kind, tenant, share, lane, cost, batch)
    SELECT job_id, queue, priority, created_at, attempt, failures, lapses, kind, tenant,
      coalesce(share, ''), lane, cost, batch
    FROM moving
    WHERE verdict = 'release' AND lane IS NOT NULL AND (run_at IS NULL OR run_at <= moment)
  ),
  due AS (
    INSERT INTO leasehold.ready
      (job_id, queue, priority, created_at, attempt, failures, lapses, kind, tenant, batch)
    SELECT job_id, queue, priority, created_at, attempt, failures, lapses, kind, tenant, batch
    FROM moving
    WHERE verdict = 'release' AND lane IS NULL AND (run_at IS NULL OR run_at <= moment)
  )
  SELECT moving.job_id, moving.queue, moving.verdict = 'cancel', called.queue
  FROM moving
  LEFT JOIN called ON called.job_id = moving.job_id
  ORDER BY moving.job_id;
END
$$;

-- Forgets that these jobs wait for others, where they do not: somebody has cancelled or deleted them.
CREATE FUNCTION leasehold.unmark_dependents(jobs uuid[])
RETURNS void
LANGUAGE plpgsql
SET enable_seqscan = off
SET enable_nestloop = on
AS $$
DECLARE
  mine uuid[];
BEGIN
  -- Lock …
  mine := ARRAY (
    SELECT d.job_id
    FROM leasehold.dependent AS d
    WHERE d.job_id = ANY (jobs)
      AND NOT EXISTS (SELECT FROM leasehold.waiting AS w WHERE w.job_id = d.job_id AND w.stage = '#')
    FOR UPDATE SKIP LOCKED);
  -- … then look, in a later statement: a retry may just have let one wait again.
  DELETE FROM leasehold.dependent AS d
  WHERE d.job_id = ANY (mine)
    AND NOT EXISTS (SELECT FROM leasehold.waiting AS w WHERE w.job_id = d.job_id AND w.stage = '#');
END
$$;

-- Writes a batch and its members, sealed: in one transaction, so that nobody sees a part of it.
CREATE FUNCTION leasehold.start_batch(document jsonb, jobs text, skew_seconds double precision DEFAULT 0)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM leasehold.create_batch(document, skew_seconds);
  PERFORM leasehold.enqueue_many(jobs, skew_seconds);
  PERFORM leasehold.seal_batch((document ->> 'id')::uuid, skew_seconds);
END
$$;
