-- Puts handed-back jobs back into their place in the queue. Primary keys.
INSERT INTO leasehold_ready
  (queue, is_suspect, priority, created_at, job_id, attempt, failures, lapses, kind, tenant, batch)
SELECT
  job.queue, outcome.lapses > 0, lease.priority, job.created_at, lease.job_id, lease.attempt,
  outcome.failures, outcome.lapses, job.kind, lease.tenant, job.batch
FROM json_each(:back) AS back
CROSS JOIN leasehold_lease AS lease ON lease.job_id = back.key
CROSS JOIN leasehold_outcome AS outcome
  ON outcome.job_id = lease.job_id
  AND outcome.attempt = lease.attempt
CROSS JOIN leasehold_job AS job ON job.id = lease.job_id
WHERE outcome.state = 'released'
AND lease.lane IS NULL
