-- Lets those of the same due jobs that have a lane wait for it: the same rows, since the write lock
-- is held. Index leasehold_scheduled_due, primary key of leasehold_job.
INSERT INTO leasehold_waiting
  (job_id, queue, stage, priority, share, lane, created_at, attempt, failures, lapses, cost, kind,
   tenant, batch)
SELECT
  due.job_id, due.queue, iif(due.lapses > 0, '!', ''), due.priority, coalesce(job.share, ''),
  due.lane, due.created_at, due.attempt, due.failures, due.lapses, job.cost, due.kind, due.tenant,
  due.batch
FROM (
  SELECT *
  FROM leasehold_scheduled
  WHERE run_at <= :now
  ORDER BY run_at, job_id
  LIMIT :limit
) AS due
CROSS JOIN leasehold_job AS job ON job.id = due.job_id
WHERE due.lane IS NOT NULL
