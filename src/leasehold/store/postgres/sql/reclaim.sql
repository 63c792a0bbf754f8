-- Takes back lapsed leases that stand unchanged since they were seen: primary key. A row locked by
-- its own worker's finish is skipped: that worker was quicker.
WITH held AS MATERIALIZED (
  SELECT lease.*, asked.delay_seconds, job.queue, job.kind, job.created_at,
    job.max_attempts,
    coalesce(task.dies_on_lapse, false) AS dies_on_lapse
  FROM jsonb_to_recordset(%(leases)s::jsonb) AS asked
    (job_id uuid, fence bigint, until text, delay_seconds double precision)
  CROSS JOIN LATERAL (
    SELECT *
    FROM leasehold.lease
    WHERE lease.job_id = asked.job_id
      AND lease.fence = asked.fence -- the fence
      -- not renewed since, and really over
      AND (extract(epoch FROM lease.until) * 1000000)::bigint::text = asked.until
      AND lease.until < %(skew)s + now()
    FOR UPDATE SKIP LOCKED
  ) AS lease
  CROSS JOIN LATERAL (
    SELECT * FROM leasehold.job WHERE job.id = lease.job_id OFFSET 0
  ) AS job
  LEFT JOIN leasehold.task ON task.kind = job.kind
),
removed AS (
  DELETE FROM leasehold.lease
  WHERE job_id = ANY (ARRAY (SELECT job_id FROM held)) -- locked above: nobody else can
),
ended AS (
  SELECT *,
    -- the first lapse is not counted, it makes a suspect; a suspect's lapse is
    failures + (lapses > 0 AND NOT cancel_requested)::integer AS failures_after,
    CASE
      WHEN cancel_requested THEN 'cancelled'
      WHEN dies_on_lapse THEN 'dead'
      WHEN lapses > 0 AND failures + 1 >= max_attempts THEN 'dead'
      ELSE 'lapsed'
    END AS state
  FROM held
),
recorded AS (
  INSERT INTO leasehold.outcome (job_id, attempt, state, failures, lapses, fence, worker,
    started_at, finished_at, tenant, error)
  SELECT job_id, attempt, state::leasehold.outcome_state, failures_after, lapses + 1, fence, worker,
    claimed_at, %(skew)s + now(), tenant,
    CASE
      WHEN state = 'cancelled' THEN concat_ws(' by ', 'cancelled', cancelled_by)
      ELSE 'lapsed: its worker stopped renewing the lease'
    END
  FROM ended
),
later AS (
  INSERT INTO leasehold.scheduled (job_id, run_at, queue, priority, created_at, attempt, failures,
    lapses, kind, tenant, lane, batch)
  SELECT job_id, %(skew)s + now() + make_interval(secs => delay_seconds), queue, priority,
    created_at, attempt, failures_after, lapses + 1, kind, tenant, lane, batch
  FROM ended
  WHERE state = 'lapsed'
),
called AS MATERIALIZED ( -- in the transaction of the end; the queues to wake
  SELECT leasehold.call_back(job_id, state, attempt,
    CASE
      WHEN state = 'cancelled' THEN concat_ws(' by ', 'cancelled', cancelled_by)
      ELSE 'lapsed: its worker stopped renewing the lease'
    END, %(skew)s) AS queue
  FROM ended
  WHERE state <> 'lapsed'
    AND EXISTS ( -- mostly nobody wants one: looked up once; markers of older jobs may be dead rows
      SELECT
      FROM leasehold.callback
      WHERE callback.job_id >= (SELECT job_id FROM ended ORDER BY job_id LIMIT 1)
    )
)
SELECT job_id,
  CASE
    WHEN state <> 'lapsed' THEN state
    WHEN failures_after > 0 THEN 'failed'
    ELSE 'queued'
  END,
  (SELECT array_agg(queue) FROM called WHERE queue IS NOT NULL)
FROM ended
