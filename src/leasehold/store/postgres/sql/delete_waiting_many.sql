-- Deletes waiting jobs and their history, those that nobody else is moving: primary keys. Waits for
-- nobody: the jobs' own rows are taken first, as an operator's lock is one of them.
WITH mine AS MATERIALIZED (
  SELECT id
  FROM leasehold.job
  WHERE id = ANY (%(job_ids)s::uuid[])
    AND key IS NULL
  FOR UPDATE SKIP LOCKED
),
ready AS (
  DELETE FROM leasehold.ready
  WHERE job_id = ANY (ARRAY (
    SELECT job_id
    FROM leasehold.ready
    WHERE job_id = ANY (ARRAY (SELECT id FROM mine))
    FOR UPDATE SKIP LOCKED
  ))
  RETURNING job_id
),
scheduled AS (
  DELETE FROM leasehold.scheduled
  WHERE job_id = ANY (ARRAY (
    SELECT job_id
    FROM leasehold.scheduled
    WHERE job_id = ANY (ARRAY (SELECT id FROM mine))
    FOR UPDATE SKIP LOCKED
  ))
  RETURNING job_id
),
parked AS (
  DELETE FROM leasehold.parked
  WHERE job_id = ANY (ARRAY (
    SELECT job_id
    FROM leasehold.parked
    WHERE job_id = ANY (ARRAY (SELECT id FROM mine))
    FOR UPDATE SKIP LOCKED
  ))
  RETURNING job_id
),
waiting AS (
  DELETE FROM leasehold.waiting
  WHERE job_id = ANY (ARRAY (
    SELECT job_id
    FROM leasehold.waiting
    WHERE job_id = ANY (ARRAY (SELECT id FROM mine))
    FOR UPDATE SKIP LOCKED
  ))
  RETURNING job_id
),
gone AS MATERIALIZED (
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
  WHERE job_id = ANY (ARRAY (SELECT job_id FROM gone))
),
mark AS (
  DELETE FROM leasehold.dependent
  WHERE job_id = ANY (ARRAY (SELECT job_id FROM gone))
),
called_back AS (
  DELETE FROM leasehold.callback
  WHERE job_id = ANY (ARRAY (SELECT job_id FROM gone))
),
history AS (
  DELETE FROM leasehold.outcome
  WHERE job_id = ANY (ARRAY (SELECT job_id FROM gone))
),
saved AS (
  DELETE FROM leasehold.checkpoint
  WHERE job_id = ANY (ARRAY (SELECT job_id FROM gone))
),
remembered AS (
  DELETE FROM leasehold.step
  WHERE job_id = ANY (ARRAY (SELECT job_id FROM gone))
)
DELETE FROM leasehold.job
WHERE id = ANY (ARRAY (SELECT job_id FROM gone))
RETURNING id, NULL::text
