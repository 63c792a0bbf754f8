-- Changes a waiting job's priority by delete and insert: an UPDATE under the claim's ctid scan made
-- the claim come back empty. Primary keys. Misses a job that is just moving.
WITH ready AS (
  DELETE FROM leasehold.ready
  WHERE job_id = %(job_id)s
  RETURNING *
),
scheduled AS (
  DELETE FROM leasehold.scheduled
  WHERE job_id = %(job_id)s
  RETURNING *
),
parked AS (
  DELETE FROM leasehold.parked
  WHERE job_id = %(job_id)s
  RETURNING *
),
waiting AS (
  DELETE FROM leasehold.waiting
  WHERE job_id = %(job_id)s
  RETURNING *
),
ready_again AS (
  INSERT INTO leasehold.ready (job_id, queue, is_suspect, priority, created_at, attempt, failures,
    lapses, kind, tenant, batch)
  SELECT job_id, queue, is_suspect, %(priority)s, created_at, attempt, failures,
    lapses, kind, tenant, batch
  FROM ready
  RETURNING job_id
),
scheduled_again AS (
  INSERT INTO leasehold.scheduled (job_id, run_at, queue, priority, created_at, attempt, failures,
    lapses, kind, tenant, lane, batch)
  SELECT job_id, run_at, queue, %(priority)s, created_at, attempt, failures,
    lapses, kind, tenant, lane, batch
  FROM scheduled
  RETURNING job_id
),
parked_again AS (
  INSERT INTO leasehold.parked (job_id, queue, priority, created_at, attempt, failures,
    lapses, kind, tenant, batch)
  SELECT job_id, queue, %(priority)s, created_at, attempt, failures,
    lapses, kind, tenant, batch
  FROM parked
  RETURNING job_id
),
waiting_again AS ( -- at another place of its lane, in the same stage
  INSERT INTO leasehold.waiting (job_id, queue, stage, priority, created_at, attempt, failures,
    lapses, kind, tenant, share, lane, cost, batch)
  SELECT job_id, queue, stage, %(priority)s, created_at, attempt, failures,
    lapses, kind, tenant, share, lane, cost, batch
  FROM waiting
  RETURNING job_id
)
SELECT job_id FROM ready_again
UNION ALL
SELECT job_id FROM scheduled_again
UNION ALL
SELECT job_id FROM parked_again
UNION ALL
SELECT job_id FROM waiting_again
