-- Makes dead or cancelled jobs ready again, or lets them wait in their lanes, their attempts going on;
-- says what they are then. Primary keys. The caller holds the jobs' locks.
WITH ended AS MATERIALIZED (
  SELECT job.id, job.queue, job.priority, job.created_at, last.attempt, job.kind, job.tenant,
    job.share, job.lane, job.cost, job.batch, job.on_end IS NOT NULL AS calls_back,
    CASE -- one that never ran waits for others again, unless they have succeeded by now
      WHEN job.needs IS NULL THEN false
      WHEN EXISTS (
        SELECT FROM leasehold.outcome WHERE outcome.job_id = job.id AND outcome.fence IS NOT NULL
      ) THEN false
      ELSE NOT EXISTS (
        SELECT FROM leasehold.judge_needs(ARRAY[job.id], NULL) WHERE verdict = 'release'
      )
    END AS is_held
  FROM leasehold.job
  CROSS JOIN LATERAL (
    SELECT outcome.attempt, outcome.state
    FROM leasehold.outcome
    WHERE outcome.job_id = job.id
    ORDER BY outcome.attempt DESC
    LIMIT 1
  ) AS last
  WHERE job.id = ANY (%(job_ids)s::uuid[])
    AND last.state IN ('dead', 'cancelled')
    AND NOT EXISTS (SELECT FROM leasehold.ready WHERE ready.job_id = job.id)
    AND NOT EXISTS (SELECT FROM leasehold.scheduled WHERE scheduled.job_id = job.id)
    AND NOT EXISTS (SELECT FROM leasehold.parked WHERE parked.job_id = job.id)
    AND NOT EXISTS (SELECT FROM leasehold.waiting WHERE waiting.job_id = job.id)
    AND NOT EXISTS (SELECT FROM leasehold.lease WHERE lease.job_id = job.id)
),
called_back AS ( -- it will end once more
  INSERT INTO leasehold.callback (job_id, tenant)
  SELECT id, tenant
  FROM ended
  WHERE calls_back
),
back AS (
  INSERT INTO leasehold.ready (job_id, queue, priority, created_at, attempt, kind, tenant, batch)
  SELECT id, queue, priority, created_at, attempt, kind, tenant, batch
  FROM ended
  WHERE lane IS NULL
    AND NOT is_held
),
back_in_lane AS (
  INSERT INTO leasehold.waiting (job_id, queue, priority, created_at, attempt, kind, tenant, share,
    lane, cost, batch)
  SELECT id, queue, priority, created_at, attempt, kind, tenant, coalesce(share, ''), lane, cost, batch
  FROM ended
  WHERE lane IS NOT NULL
    AND NOT is_held
),
held AS (
  INSERT INTO leasehold.waiting (job_id, queue, stage, priority, created_at, attempt, kind, tenant, batch)
  SELECT id, queue, '#', priority, created_at, attempt, kind, tenant, batch
  FROM ended
  WHERE is_held
),
marked AS (
  INSERT INTO leasehold.dependent (job_id, tenant)
  SELECT id, tenant
  FROM ended
  WHERE is_held
  ON CONFLICT (job_id) DO UPDATE -- a write: a sweep that forgets it is waited for
  SET tenant = excluded.tenant
)
SELECT id, CASE WHEN is_held OR lane <> '' THEN 'blocked' ELSE 'queued' END
FROM ended
