-- Lets those go that are not due yet. Primary keys.
INSERT INTO leasehold_scheduled
  (job_id, run_at, queue, priority, created_at, attempt, failures, lapses, kind, tenant, lane, batch)
SELECT
  job.id, job.run_at, job.queue, waiting.priority, job.created_at, waiting.attempt, waiting.failures,
  waiting.lapses, job.kind, job.tenant, job.lane, job.batch
FROM json_each(:ids) AS freed
CROSS JOIN leasehold_waiting AS waiting ON waiting.job_id = freed.value
CROSS JOIN leasehold_job AS job ON job.id = waiting.job_id
WHERE waiting.stage = '#'
AND job.run_at > :now
AND waiting.attempt = 0 -- who retried it wants it now
