-- Lets jobs wait for their next try; `back` says until when. Primary keys.
INSERT INTO leasehold_scheduled
  (job_id, run_at, queue, priority, created_at, attempt, failures, lapses, kind, tenant, lane, batch)
SELECT
  lease.job_id, back.value, job.queue, lease.priority, job.created_at, lease.attempt,
  outcome.failures, outcome.lapses, job.kind, lease.tenant, lease.lane, job.batch
FROM json_each(:back) AS back
CROSS JOIN leasehold_lease AS lease ON lease.job_id = back.key
CROSS JOIN leasehold_outcome AS outcome
  ON outcome.job_id = lease.job_id
  AND outcome.attempt = lease.attempt
CROSS JOIN leasehold_job AS job ON job.id = lease.job_id
WHERE outcome.state IN ('failed', 'snoozed', 'lapsed')
