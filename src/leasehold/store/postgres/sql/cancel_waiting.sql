-- Ends a waiting job as cancelled, wherever it waits: primary keys. A job that is just moving from
-- one table to the next is missed by this statement's snapshot, so the caller looks again.
WITH ready AS (
  DELETE FROM leasehold.ready
  WHERE job_id = %(job_id)s
  RETURNING job_id, attempt, failures, lapses, tenant
),
scheduled AS (
  DELETE FROM leasehold.scheduled
  WHERE job_id = %(job_id)s
  RETURNING job_id, attempt, failures, lapses, tenant
),
parked AS (
  DELETE FROM leasehold.parked
  WHERE job_id = %(job_id)s
  RETURNING job_id, attempt, failures, lapses, tenant
),
waiting AS (
  DELETE FROM leasehold.waiting
  WHERE job_id = %(job_id)s
  RETURNING job_id, attempt, failures, lapses, tenant
),
ended AS (
  SELECT * FROM ready
  UNION ALL
  SELECT * FROM scheduled
  UNION ALL
  SELECT * FROM parked
  UNION ALL
  SELECT * FROM waiting
),
recorded AS (
  INSERT INTO leasehold.outcome (job_id, attempt, state, failures, lapses, finished_at, tenant, error)
  SELECT job_id, attempt + 1, 'cancelled', failures, lapses, %(skew)s + now(), tenant,
    concat_ws(' by ', 'cancelled', %(by)s::text)
  FROM ended
  RETURNING job_id, attempt, error
)
SELECT job_id,
  CASE -- in the transaction of the end; the queue to wake
    WHEN EXISTS (SELECT FROM leasehold.callback WHERE callback.job_id = recorded.job_id)
      THEN leasehold.call_back(job_id, 'cancelled', attempt, error, %(skew)s)
  END
FROM recorded
