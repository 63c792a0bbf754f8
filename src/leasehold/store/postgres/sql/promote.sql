-- Moves scheduled jobs that are due to ready or, with a lane, to waiting, and says when the next one
-- is due: index scheduled_due.
WITH due AS (
  DELETE FROM leasehold.scheduled
  WHERE ctid = ANY (ARRAY (
    SELECT ctid
    FROM leasehold.scheduled
    WHERE run_at <= %(skew)s + now()
    ORDER BY run_at
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
  ))
  RETURNING job_id, queue, priority, created_at, attempt, failures, lapses, kind, tenant, lane, batch
),
moved AS (
  INSERT INTO leasehold.ready (job_id, queue, is_suspect, priority, created_at, attempt, failures,
    lapses, kind, tenant, batch)
  SELECT job_id, queue, lapses > 0, priority, created_at, attempt, failures,
    lapses, kind, tenant, batch
  FROM due
  WHERE lane IS NULL
),
moved_in_lane AS (
  INSERT INTO leasehold.waiting (job_id, queue, stage, priority, created_at, attempt, failures,
    lapses, kind, tenant, share, lane, cost, batch)
  SELECT due.job_id, due.queue, CASE WHEN due.lapses > 0 THEN '!' ELSE '' END, due.priority,
    due.created_at, due.attempt, due.failures, due.lapses, due.kind, due.tenant,
    coalesce(job.share, ''), due.lane, job.cost, due.batch
  FROM due
  CROSS JOIN LATERAL (
    SELECT share, cost FROM leasehold.job WHERE job.id = due.job_id OFFSET 0
  ) AS job
  WHERE due.lane IS NOT NULL
)
SELECT
  (SELECT count(*) FROM due),
  (
    SELECT extract(epoch FROM run_at - (%(skew)s + now()))::double precision
    FROM leasehold.scheduled
    WHERE run_at > %(skew)s + now()
    ORDER BY run_at
    LIMIT 1
  ),
  (SELECT count(*) FROM due WHERE lane IS NOT NULL)
