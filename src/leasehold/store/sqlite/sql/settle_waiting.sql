-- Puts handed-back jobs back into their place in their lanes. Primary keys.
INSERT INTO leasehold_waiting
  (job_id, queue, stage, priority, share, lane, created_at, attempt, failures, lapses, cost, kind,
   tenant, batch)
SELECT
  lease.job_id, job.queue, iif(outcome.lapses > 0, '!', ''), lease.priority, coalesce(job.share, ''),
  lease.lane, job.created_at, lease.attempt, outcome.failures, outcome.lapses, job.cost, job.kind,
  lease.tenant, job.batch
FROM json_each(:back) AS back
CROSS JOIN leasehold_lease AS lease ON lease.job_id = back.key
CROSS JOIN leasehold_outcome AS outcome
  ON outcome.job_id = lease.job_id
  AND outcome.attempt = lease.attempt
CROSS JOIN leasehold_job AS job ON job.id = lease.job_id
WHERE outcome.state = 'released'
AND lease.lane IS NOT NULL
