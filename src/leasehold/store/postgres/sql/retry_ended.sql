-- Makes a dead or cancelled job ready again, its attempts going on. The caller holds the job's lock.
INSERT INTO leasehold.ready
  (job_id, queue, priority, created_at, attempt, kind, tenant, lane, batch)
SELECT job.id, job.queue, job.priority, job.created_at, last.attempt, job.kind, job.tenant,
  job.lane, job.batch
FROM leasehold.job
CROSS JOIN LATERAL (
  SELECT outcome.attempt, outcome.state
  FROM leasehold.outcome
  WHERE outcome.job_id = job.id
  ORDER BY outcome.attempt DESC
  LIMIT 1
) AS last
WHERE job.id = %(job_id)s
  AND last.state IN ('dead', 'cancelled')
  AND NOT EXISTS (SELECT FROM leasehold.ready WHERE ready.job_id = job.id)
  AND NOT EXISTS (SELECT FROM leasehold.scheduled WHERE scheduled.job_id = job.id)
  AND NOT EXISTS (SELECT FROM leasehold.parked WHERE parked.job_id = job.id)
  AND NOT EXISTS (SELECT FROM leasehold.lease WHERE lease.job_id = job.id)
RETURNING job_id
