-- Removes what promote has moved: the same rows, since the write lock is held.
-- Index leasehold_scheduled_due.
DELETE FROM leasehold_scheduled
WHERE job_id IN (
  SELECT job_id
  FROM leasehold_scheduled
  WHERE run_at <= :now
  ORDER BY run_at, job_id
  LIMIT :limit
)
