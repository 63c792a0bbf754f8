-- Settles attempts: whoever deletes the lease row has the right to say how it ended: primary key.
-- Arrays that end early are filled up with NULL: most attempts have nothing but a time.
WITH ended AS (
  DELETE FROM leasehold.lease
  USING unnest(%(job_ids)s::uuid[], %(fences)s::bigint[], %(elapsed_seconds)s::double precision[],
    %(outcomes)s::text[], %(results)s::text[], %(errors)s::text[], %(tracebacks)s::text[],
    %(delays_seconds)s::double precision[], %(run_ats)s::timestamptz[], %(are_counted)s::boolean[],
    %(spent)s::double precision[])
    AS said (job_id, fence, elapsed_seconds, outcome, result, error, traceback, delay_seconds, run_at,
      is_counted, spent)
  WHERE lease.job_id = ANY (%(job_ids)s::uuid[]) -- by its key, whatever the join
    AND lease.job_id = said.job_id
    AND lease.fence = said.fence -- the fence: a lease that was taken back is not there any more
    AND lease.worker = %(worker)s
  RETURNING
    lease.job_id, lease.attempt, lease.fence, lease.worker, lease.tenant, lease.priority,
    lease.lane, lease.cost, said.spent, said.outcome,
    CASE
      WHEN lease.cancel_requested THEN 'cancelled'
      WHEN said.outcome IS NULL THEN 'succeeded'
      ELSE said.outcome::leasehold.outcome_state
    END AS state,
    lease.failures + (said.is_counted IS TRUE AND NOT lease.cancel_requested)::integer AS failures,
    CASE
      WHEN said.outcome IN ('failed', 'snoozed') AND NOT lease.cancel_requested THEN 0
      ELSE lease.lapses
    END AS lapses,
    said.elapsed_seconds, said.result,
    CASE
      WHEN lease.cancel_requested THEN concat_ws(' by ', 'cancelled', lease.cancelled_by)
      ELSE said.error
    END AS error,
    said.traceback, said.delay_seconds, said.run_at
),
recorded AS (
  INSERT INTO leasehold.outcome (job_id, attempt, state, failures, lapses, fence, worker,
    started_at, finished_at, tenant, result, error, traceback)
  SELECT job_id, attempt, state, failures, lapses, fence, worker,
    %(skew)s + now() - make_interval(secs => nullif(elapsed_seconds, 'NaN')), %(skew)s + now(), tenant,
    CASE WHEN state = 'succeeded' THEN nullif(result, 'null')::jsonb END, error, traceback
  FROM ended
),
charged AS ( -- of a rate; locks no lane: the key's next claim takes it in. Reads ended: the fence
  INSERT INTO leasehold.charge (lane, tenant, amount)
  SELECT lane, tenant, coalesce(spent, 0) - cost
  FROM ended
  WHERE cost IS NOT NULL
    AND (spent <> cost
      OR spent IS NULL AND outcome = 'released' AND elapsed_seconds = 'NaN') -- it never started
),
comes_back AS MATERIALIZED (
  SELECT ended.job_id, ended.state, ended.attempt, ended.failures, ended.lapses, ended.priority,
    ended.delay_seconds, ended.run_at, job.created_at, job.queue, job.kind, job.tenant, job.share,
    job.lane, job.cost, job.batch
  FROM ended
  CROSS JOIN LATERAL (
    SELECT * FROM leasehold.job WHERE job.id = ended.job_id OFFSET 0
  ) AS job
  WHERE ended.state IN ('failed', 'snoozed', 'released')
),
later AS (
  INSERT INTO leasehold.scheduled (job_id, run_at, queue, priority, created_at, attempt, failures,
    lapses, kind, tenant, lane, batch)
  SELECT job_id,
    coalesce(run_at, %(skew)s + now() + make_interval(secs => coalesce(delay_seconds, 0))),
    queue, priority, created_at, attempt, failures, lapses, kind, tenant, lane, batch
  FROM comes_back
  WHERE state <> 'released'
),
back AS (
  INSERT INTO leasehold.ready (job_id, queue, is_suspect, priority, created_at, attempt, failures,
    lapses, kind, tenant, batch)
  SELECT job_id, queue, lapses > 0, priority, created_at, attempt, failures,
    lapses, kind, tenant, batch
  FROM comes_back
  WHERE state = 'released'
    AND lane IS NULL
),
back_in_lane AS (
  INSERT INTO leasehold.waiting (job_id, queue, stage, priority, created_at, attempt, failures,
    lapses, kind, tenant, share, lane, cost, batch)
  SELECT job_id, queue, CASE WHEN lapses > 0 THEN '!' ELSE '' END, priority, created_at, attempt,
    failures, lapses, kind, tenant, coalesce(share, ''), lane, cost, batch
  FROM comes_back
  WHERE state = 'released'
    AND lane IS NOT NULL
),
called AS MATERIALIZED ( -- in the transaction of the end; the queues to wake
  SELECT leasehold.call_back(job_id, state::text, attempt, error, %(skew)s) AS queue
  FROM ended
  WHERE state IN ('succeeded', 'dead', 'cancelled')
    AND EXISTS ( -- mostly nobody wants one: looked up once; markers of older jobs may be dead rows
      SELECT
      FROM leasehold.callback
      WHERE callback.job_id >= (SELECT job_id FROM ended ORDER BY job_id LIMIT 1)
    )
)
SELECT string_agg(uuid_send(job_id), NULL), -- one value: 500 rows cost the worker more than all the rest
  (SELECT array_agg(queue) FROM called WHERE queue IS NOT NULL)
FROM ended
