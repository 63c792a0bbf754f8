-- Moves scheduled jobs that are due to ready, and says when the next one is due: index scheduled_due.
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
    lapses, kind, tenant, lane, batch)
  SELECT job_id, queue, lapses > 0, priority, created_at, attempt, failures,
    lapses, kind, tenant, lane, batch
  FROM due
  RETURNING 1
)
SELECT
  (SELECT count(*) FROM moved),
  (
    SELECT extract(epoch FROM run_at - (%(skew)s + now()))::double precision
    FROM leasehold.scheduled
    WHERE run_at > %(skew)s + now()
    ORDER BY run_at
    LIMIT 1
  )
