-- Lets those go that are due. Primary keys.
INSERT INTO leasehold_ready
  (queue, priority, created_at, job_id, attempt, failures, lapses, kind, tenant, batch)
SELECT
  job.queue, waiting.priority, job.created_at, job.id, waiting.attempt, waiting.failures,
  waiting.lapses, job.kind, job.tenant, job.batch
FROM json_each(:ids) AS freed
CROSS JOIN leasehold_waiting AS waiting ON waiting.job_id = freed.value
CROSS JOIN leasehold_job AS job ON job.id = waiting.job_id
WHERE waiting.stage = '#'
AND job.lane IS NULL
AND (job.run_at IS NULL OR job.run_at <= :now OR waiting.attempt > 0)
