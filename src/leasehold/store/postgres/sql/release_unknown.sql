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
comes_back AS MATERIALIZED (
  SELECT ended.job_id, ended.attempt, ended.failures, ended.lapses, ended.priority, ended.tenant,
    job.created_at, job.queue, job.kind, job.share, job.lane, job.cost, job.batch
  FROM ended
  CROSS JOIN LATERAL (
    SELECT * FROM leasehold.job WHERE job.id = ended.job_id OFFSET 0
  ) AS job
  WHERE NOT ended.cancel_requested
),
back AS (
  INSERT INTO leasehold.ready (job_id, queue, is_suspect, priority, created_at, attempt, failures,
    lapses, kind, tenant, batch)
  SELECT job_id, queue, lapses > 0, priority, created_at, attempt, failures,
    lapses, kind, tenant, batch
  FROM comes_back
  WHERE lane IS NULL
),
back_in_lane AS (
  INSERT INTO leasehold.waiting (job_id, queue, stage, priority, created_at, attempt, failures,
    lapses, kind, tenant, share, lane, cost, batch)
  SELECT job_id, queue, CASE WHEN lapses > 0 THEN '!' ELSE '' END, priority, created_at, attempt,
    failures, lapses, kind, tenant, coalesce(share, ''), lane, cost, batch
  FROM comes_back
  WHERE lane IS NOT NULL
),
refunded AS ( -- they never started
  INSERT INTO leasehold.charge (lane, tenant, amount)
  SELECT lane, tenant, -cost
  FROM ended
  WHERE cost IS NOT NULL
),
called AS MATERIALIZED ( -- in the transaction of the end; the queues to wake
  SELECT leasehold.call_back(job_id, 'cancelled', attempt, concat_ws(' by ', 'cancelled', cancelled_by),
    %(skew)s) AS queue
  FROM ended
  WHERE cancel_requested
    AND EXISTS ( -- mostly nobody wants one: looked up once; markers of older jobs may be dead rows
      SELECT
      FROM leasehold.callback
      WHERE callback.job_id >= (SELECT job_id FROM ended ORDER BY job_id LIMIT 1)
    )
)
SELECT count(*), (SELECT array_agg(queue) FROM called WHERE queue IS NOT NULL)
FROM ended
