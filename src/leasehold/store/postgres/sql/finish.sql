-- Settles attempts: whoever deletes the lease row has the right to say how it ended: primary key.
-- `settlements` is one object, a settlement by job id, that is looked into and not joined: a join
-- planned while there were few leases compares each settlement with each lease later on.
WITH ended AS (
  DELETE FROM leasehold.lease
  WHERE job_id = ANY (ARRAY (SELECT jsonb_object_keys(%(settlements)s::jsonb)::uuid))
    -- the fence: a lease that was taken back is not there any more
    AND fence = (%(settlements)s::jsonb -> job_id::text ->> 'fence')::bigint
    AND worker = %(worker)s
  RETURNING job_id, attempt, fence, worker, tenant, priority, failures, lapses, cancel_requested,
    cancelled_by, %(settlements)s::jsonb -> job_id::text AS said
),
judged AS NOT MATERIALIZED (
  SELECT job_id, attempt, fence, worker, tenant, priority, cancelled_by, cancel_requested, said,
    CASE
      WHEN cancel_requested THEN 'cancelled'
      ELSE coalesce((said ->> 'outcome')::leasehold.outcome_state, 'succeeded')
    END AS state,
    failures + (NOT cancel_requested AND said ? 'is_counted')::integer AS failures,
    CASE
      WHEN said ->> 'outcome' IN ('failed', 'snoozed') AND NOT cancel_requested THEN 0
      ELSE lapses
    END AS lapses
  FROM ended
),
recorded AS (
  INSERT INTO leasehold.outcome (job_id, attempt, state, failures, lapses, fence, worker,
    started_at, finished_at, tenant, result, error, traceback)
  SELECT job_id, attempt, state, failures, lapses, fence, worker,
    %(skew)s + now() - make_interval(secs => (said ->> 'elapsed_seconds')::double precision),
    %(skew)s + now(), tenant,
    CASE WHEN state = 'succeeded' THEN nullif(said -> 'result', 'null') END,
    CASE
      WHEN cancel_requested THEN concat_ws(' by ', 'cancelled', cancelled_by)
      ELSE said ->> 'error'
    END,
    said ->> 'traceback'
  FROM judged
),
later AS (
  INSERT INTO leasehold.scheduled (job_id, run_at, queue, priority, created_at, attempt, failures,
    lapses, kind, tenant, lane, batch)
  SELECT judged.job_id,
    coalesce((said ->> 'run_at')::timestamptz, %(skew)s + now()
      + make_interval(secs => coalesce((said ->> 'delay_seconds')::double precision, 0))),
    job.queue, judged.priority, job.created_at, judged.attempt, judged.failures, judged.lapses,
    job.kind, job.tenant, job.lane, job.batch
  FROM judged
  CROSS JOIN LATERAL (
    SELECT * FROM leasehold.job WHERE job.id = judged.job_id OFFSET 0
  ) AS job
  WHERE judged.state IN ('failed', 'snoozed')
),
back AS (
  INSERT INTO leasehold.ready (job_id, queue, is_suspect, priority, created_at, attempt, failures,
    lapses, kind, tenant, lane, batch)
  SELECT judged.job_id, job.queue, judged.lapses > 0, judged.priority, job.created_at,
    judged.attempt, judged.failures, judged.lapses, job.kind, job.tenant, job.lane, job.batch
  FROM judged
  CROSS JOIN LATERAL (
    SELECT * FROM leasehold.job WHERE job.id = judged.job_id OFFSET 0
  ) AS job
  WHERE judged.state = 'released'
)
SELECT string_agg(uuid_send(job_id), NULL) -- one value: 500 rows cost the worker more than all the rest
FROM ended
