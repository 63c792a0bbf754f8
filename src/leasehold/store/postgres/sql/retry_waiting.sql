-- Makes a job that failed and waits for its next try ready now, or lets it wait in its lane: primary
-- keys. Says what it is then.
WITH failed AS (
  DELETE FROM leasehold.scheduled
  WHERE job_id = %(job_id)s
    AND failures > 0
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
SELECT CASE WHEN lane <> '' THEN 'blocked' ELSE 'queued' END
FROM failed
