-- Settles attempts: whoever deletes the lease row has the right to say how it ended: primary key.
WITH asked AS MATERIALIZED (
  SELECT *
  FROM jsonb_to_recordset(%(settlements)s::text::jsonb) AS asked (
    job_id uuid, fence bigint, outcome text, result jsonb, error text, traceback text,
    delay_seconds double precision, run_at timestamptz, is_counted boolean,
    elapsed_seconds double precision)
),
ended AS (
  DELETE FROM leasehold.lease
  USING asked
  WHERE lease.job_id = asked.job_id
    AND lease.fence = asked.fence -- the fence: a lease that was taken back is not there any more
    AND lease.worker = %(worker)s
  RETURNING
    lease.job_id, lease.attempt, lease.fence, lease.worker, lease.tenant, lease.priority,
    CASE WHEN lease.cancel_requested THEN 'cancelled' ELSE asked.outcome END AS state,
    lease.failures + (coalesce(asked.is_counted, false) AND NOT lease.cancel_requested)::integer
      AS failures,
    CASE
      WHEN asked.outcome IN ('failed', 'snoozed') AND NOT lease.cancel_requested THEN 0
      ELSE lease.lapses
    END AS lapses,
    asked.result,
    CASE
      WHEN NOT lease.cancel_requested THEN asked.error
      ELSE concat_ws(' by ', 'cancelled', lease.cancelled_by)
    END AS error,
    asked.traceback, asked.elapsed_seconds,
    coalesce(asked.run_at,
      %(skew)s + now() + make_interval(secs => coalesce(asked.delay_seconds, 0))) AS run_at
),
recorded AS (
  INSERT INTO leasehold.outcome (job_id, attempt, state, failures, lapses, fence, worker,
    started_at, finished_at, tenant, result, error, traceback)
  SELECT job_id, attempt, state::leasehold.outcome_state, failures, lapses, fence, worker,
    %(skew)s + now() - make_interval(secs => elapsed_seconds), %(skew)s + now(), tenant,
    CASE WHEN state = 'succeeded' THEN result END, error, traceback
  FROM ended
),
later AS (
  INSERT INTO leasehold.scheduled (job_id, run_at, queue, priority, created_at, attempt, failures,
    lapses, kind, tenant, lane, batch)
  SELECT ended.job_id, ended.run_at, job.queue, ended.priority, job.created_at, ended.attempt,
    ended.failures, ended.lapses, job.kind, job.tenant, job.lane, job.batch
  FROM ended
  JOIN leasehold.job ON job.id = ended.job_id
  WHERE ended.state IN ('failed', 'snoozed')
),
back AS (
  INSERT INTO leasehold.ready (job_id, queue, is_suspect, priority, created_at, attempt, failures,
    lapses, kind, tenant, lane, batch)
  SELECT ended.job_id, job.queue, ended.lapses > 0, ended.priority, job.created_at, ended.attempt,
    ended.failures, ended.lapses, job.kind, job.tenant, job.lane, job.batch
  FROM ended
  JOIN leasehold.job ON job.id = ended.job_id
  WHERE ended.state = 'released'
)
SELECT job_id
FROM ended
