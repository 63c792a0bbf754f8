-- Makes jobs that failed and wait for their next try ready now, or lets them wait in their lanes, those
-- that nobody else is moving: primary keys. Waits for nobody. Says what they are then.
WITH failed AS (
  DELETE FROM leasehold.scheduled
  WHERE job_id = ANY (ARRAY (
    SELECT job_id
    FROM leasehold.scheduled
    WHERE job_id = ANY (%(job_ids)s::uuid[])
      AND failures > 0
    FOR UPDATE SKIP LOCKED
  ))
  RETURNING job_id, queue, priority, created_at, attempt, kind, tenant, lane, batch
),
back AS (
  INSERT INTO leasehold.ready (job_id, queue, priority, created_at, attempt, kind, tenant, batch)
  SELECT job_id, queue, priority, created_at, attempt, kind, tenant, batch
  FROM failed
  WHERE lane IS NULL
),
back_in_lane AS (
  INSERT INTO leasehold.waiting (job_id, queue, priority, created_at, attempt, kind, tenant, share,
    lane, cost, batch)
  SELECT failed.job_id, failed.queue, failed.priority, failed.created_at, failed.attempt, failed.kind,
    failed.tenant, coalesce(job.share, ''), failed.lane, job.cost, failed.batch
  FROM failed
  CROSS JOIN LATERAL (
    SELECT share, cost FROM leasehold.job WHERE job.id = failed.job_id OFFSET 0
  ) AS job
  WHERE failed.lane IS NOT NULL
)
SELECT job_id, CASE WHEN lane <> '' THEN 'blocked' ELSE 'queued' END
FROM failed
