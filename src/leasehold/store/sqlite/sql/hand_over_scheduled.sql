-- Lets one go that is not due yet. Primary keys.
INSERT INTO leasehold_scheduled
  (job_id, run_at, queue, priority, created_at, kind, tenant, lane, batch)
SELECT
  job.id, job.run_at, job.queue, waiting.priority, job.created_at, job.kind, job.tenant, job.lane,
  job.batch
FROM leasehold_waiting AS waiting
CROSS JOIN leasehold_job AS job ON job.id = waiting.job_id
WHERE waiting.job_id = :id
AND job.run_at > :now
