-- Lets one go that is due. Primary keys.
INSERT INTO leasehold_ready
  (queue, priority, created_at, job_id, kind, tenant, batch)
SELECT job.queue, waiting.priority, job.created_at, job.id, job.kind, job.tenant, job.batch
FROM leasehold_waiting AS waiting
CROSS JOIN leasehold_job AS job ON job.id = waiting.job_id
WHERE waiting.job_id = :id
AND job.lane IS NULL
AND (job.run_at IS NULL OR job.run_at <= :now)
