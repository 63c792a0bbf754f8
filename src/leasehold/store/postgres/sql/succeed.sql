-- finish.sql for attempts that all succeeded and have no result, which most are: nothing comes back and
-- nothing is charged, so half of the tables need not be opened.
WITH ended AS (
  DELETE FROM leasehold.lease
  USING unnest(%(job_ids)s::uuid[], %(fences)s::bigint[], %(elapsed_seconds)s::double precision[])
    AS said (job_id, fence, elapsed_seconds)
  WHERE lease.job_id = ANY (%(job_ids)s::uuid[]) -- by its key, whatever the join
    AND lease.job_id = said.job_id
    AND lease.fence = said.fence -- the fence: a lease that was taken back is not there any more
    AND lease.worker = %(worker)s
  RETURNING
    lease.job_id, lease.attempt, lease.failures, lease.lapses, lease.fence, lease.worker, lease.tenant,
    said.elapsed_seconds,
    CASE
      WHEN lease.cancel_requested THEN 'cancelled'::leasehold.outcome_state
      ELSE 'succeeded'
    END AS state,
    CASE
      WHEN lease.cancel_requested THEN concat_ws(' by ', 'cancelled', lease.cancelled_by)
    END AS error
),
recorded AS (
  INSERT INTO leasehold.outcome (job_id, attempt, state, failures, lapses, fence, worker,
    started_at, finished_at, tenant, error)
  SELECT job_id, attempt, state, failures, lapses, fence, worker,
    %(skew)s + now() - make_interval(secs => nullif(elapsed_seconds, 'NaN')), %(skew)s + now(), tenant,
    error
  FROM ended
),
called AS MATERIALIZED ( -- in the transaction of the end; the queues to wake
  SELECT leasehold.call_back(job_id, state::text, attempt, error, %(skew)s) AS queue
  FROM ended
  WHERE EXISTS ( -- mostly nobody wants one: looked up once; markers of older jobs may be dead rows
    SELECT
    FROM leasehold.callback
    WHERE callback.job_id >= (SELECT job_id FROM ended ORDER BY job_id LIMIT 1)
  )
)
SELECT string_agg(uuid_send(job_id), NULL), -- one value: 500 rows cost the worker more than all the rest
  (SELECT array_agg(queue) FROM called WHERE queue IS NOT NULL)
FROM ended
