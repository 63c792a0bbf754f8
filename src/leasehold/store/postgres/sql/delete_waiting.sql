-- Deletes a waiting job and its history: primary keys. Misses one that is just moving.
WITH ready AS (
  DELETE FROM leasehold.ready
  WHERE job_id = %(job_id)s
  RETURNING job_id
),
scheduled AS (
  DELETE FROM leasehold.scheduled
  WHERE job_id = %(job_id)s
  RETURNING job_id
),
parked AS (
  DELETE FROM leasehold.parked
  WHERE job_id = %(job_id)s
  RETURNING job_id
),
waiting AS (
  DELETE FROM leasehold.waiting
  WHERE job_id = %(job_id)s
  RETURNING job_id
),
gone AS (
  SELECT job_id FROM ready
  UNION ALL
  SELECT job_id FROM scheduled
  UNION ALL
  SELECT job_id FROM parked
  UNION ALL
  SELECT job_id FROM waiting
),
needs AS (
  DELETE FROM leasehold.dependency
  USING gone
  WHERE dependency.job_id = gone.job_id
),
mark AS (
  DELETE FROM leasehold.dependent
  USING gone
  WHERE dependent.job_id = gone.job_id
),
called_back AS (
  DELETE FROM leasehold.callback
  USING gone
  WHERE callback.job_id = gone.job_id
),
history AS (
  DELETE FROM leasehold.outcome
  USING gone
  WHERE outcome.job_id = gone.job_id
),
saved AS (
  DELETE FROM leasehold.checkpoint
  USING gone
  WHERE checkpoint.job_id = gone.job_id
),
remembered AS (
  DELETE FROM leasehold.step
  USING gone
  WHERE step.job_id = gone.job_id
)
DELETE FROM leasehold.job
USING gone
WHERE job.id = gone.job_id
RETURNING job.id
