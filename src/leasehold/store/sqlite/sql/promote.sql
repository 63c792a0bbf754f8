-- Makes due jobs without a lane ready, the longest due first. Index leasehold_scheduled_due.
INSERT INTO leasehold_ready
  (queue, is_suspect, priority, created_at, job_id, attempt, failures, lapses, kind, tenant, batch)
SELECT
  queue, lapses > 0, priority, created_at, job_id, attempt, failures, lapses, kind, tenant, batch
FROM (
  SELECT *
  FROM leasehold_scheduled
  WHERE run_at <= :now
  ORDER BY run_at, job_id
  LIMIT :limit
)
WHERE lane IS NULL
