-- Deletes an ended job and its history: primary keys. The caller holds the job's lock.
WITH gone AS (
  DELETE FROM leasehold.job
  WHERE id = %(job_id)s
    AND NOT EXISTS (SELECT FROM leasehold.ready WHERE ready.job_id = job.id)
    AND NOT EXISTS (SELECT FROM leasehold.scheduled WHERE scheduled.job_id = job.id)
    AND NOT EXISTS (SELECT FROM leasehold.parked WHERE parked.job_id = job.id)
    AND NOT EXISTS (SELECT FROM leasehold.waiting WHERE waiting.job_id = job.id)
    AND NOT EXISTS (SELECT FROM leasehold.lease WHERE lease.job_id = job.id)
  RETURNING id
),
needs AS (
  DELETE FROM leasehold.dependency
  USING gone
  WHERE dependency.job_id = gone.id
),
history AS (
  DELETE FROM leasehold.outcome
  USING gone
  WHERE outcome.job_id = gone.id
),
saved AS (
  DELETE FROM leasehold.checkpoint
  USING gone
  WHERE checkpoint.job_id = gone.id
),
remembered AS (
  DELETE FROM leasehold.step
  USING gone
  WHERE step.job_id = gone.id
)
SELECT id
FROM gone
