-- Takes back lapsed leases that stand unchanged since they were seen: primary key. A row locked by
-- its own worker's finish is skipped: that worker was quicker.
WITH held AS (
  SELECT lease.*, asked.delay_seconds, job.created_at, job.max_attempts,
    coalesce(task.dies_on_lapse, false) AS dies_on_lapse
  FROM jsonb_to_recordset(%(leases)s::text::jsonb) AS asked
    (job_id uuid, fence bigint, until text, delay_seconds double precision)
  JOIN leasehold.lease
    ON lease.job_id = asked.job_id
    AND lease.fence = asked.fence
    -- not renewed since, and really over
    AND (extract(epoch FROM lease.until) * 1000000)::bigint::text = asked.until
    AND lease.until < %(skew)s + now()
  JOIN leasehold.job ON job.id = lease.job_id
  LEFT JOIN leasehold.task ON task.kind = lease.kind
  FOR UPDATE OF lease SKIP LOCKED
),
ended AS (
  DELETE FROM leasehold.lease
  USING held
  WHERE lease.job_id = held.job_id
    AND lease.fence = held.fence -- the fence
  RETURNING held.*,
    -- the first lapse is not counted, it makes a suspect; a suspect's lapse is
    held.failures + (held.lapses > 0 AND NOT held.cancel_requested)::integer AS failures_after,
    CASE
      WHEN held.cancel_requested THEN 'cancelled'
      WHEN held.dies_on_lapse THEN 'dead'
      WHEN held.lapses > 0 AND held.failures + 1 >= held.max_attempts THEN 'dead'
      ELSE 'lapsed'
    END AS state
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
)
SELECT job_id,
  CASE
    WHEN state <> 'lapsed' THEN state
    WHEN failures_after > 0 THEN 'failed'
    ELSE 'queued'
  END
FROM ended
