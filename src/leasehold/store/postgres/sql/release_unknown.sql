-- Hands back, uncharged, the leases in a worker's name that it does not know. Reads the small lease
-- table: it runs only after a claim whose answer was lost.
WITH ended AS (
  DELETE FROM leasehold.lease
  WHERE lease.worker = %(worker)s
    AND (lease.job_id, lease.fence) NOT IN (
      SELECT job_id, fence
      FROM jsonb_to_recordset(%(known)s::jsonb) AS known (job_id uuid, fence bigint)
    )
  RETURNING lease.*
),
recorded AS (
  INSERT INTO leasehold.outcome (job_id, attempt, state, failures, lapses, fence, worker,
    finished_at, tenant, error)
  SELECT job_id, attempt,
    CASE WHEN cancel_requested THEN 'cancelled' ELSE 'released' END::leasehold.outcome_state,
    failures, lapses, fence, worker, %(skew)s + now(), tenant,
    CASE WHEN cancel_requested THEN concat_ws(' by ', 'cancelled', cancelled_by) END
  FROM ended
),
back AS (
  INSERT INTO leasehold.ready (job_id, queue, is_suspect, priority, created_at, attempt, failures,
    lapses, kind, tenant, lane, batch)
  SELECT ended.job_id, job.queue, ended.lapses > 0, ended.priority, job.created_at,
    ended.attempt, ended.failures, ended.lapses, job.kind, ended.tenant, ended.lane, job.batch
  FROM ended
  CROSS JOIN LATERAL (
    SELECT queue, kind, created_at, batch FROM leasehold.job WHERE job.id = ended.job_id OFFSET 0
  ) AS job
  WHERE NOT ended.cancel_requested
)
SELECT count(*)
FROM ended
