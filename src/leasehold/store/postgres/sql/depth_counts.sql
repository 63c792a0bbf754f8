-- Counts live jobs by queue and place, as counts does, and says how many seconds the oldest ready one of
-- each queue has waited: since it was made, was due, or last ran. Reads the live tables only. The oldest is
-- looked for among the first of each priority: those behind them were made later.
WITH level AS MATERIALIZED (
  SELECT queue, is_suspect, priority, count(*) AS ready
  FROM leasehold.ready
  GROUP BY queue, is_suspect, priority
),
head AS (
  SELECT level.queue, min(first.since) AS since
  FROM level
  CROSS JOIN LATERAL (
    SELECT greatest(ready.created_at, job.run_at, outcome.finished_at) AS since
    FROM (
      SELECT job_id, created_at, attempt
      FROM leasehold.ready
      WHERE ready.queue = level.queue
        AND ready.is_suspect = level.is_suspect
        AND ready.priority = level.priority
      ORDER BY ready.created_at, ready.job_id
      LIMIT 20
    ) AS ready
    LEFT JOIN LATERAL (SELECT run_at FROM leasehold.job WHERE job.id = ready.job_id OFFSET 0) AS job
      ON true
    LEFT JOIN LATERAL (
      SELECT finished_at
      FROM leasehold.outcome
      WHERE outcome.job_id = ready.job_id
        AND outcome.attempt = ready.attempt
      OFFSET 0
    ) AS outcome ON true
  ) AS first
  GROUP BY level.queue
)
SELECT queue,
  sum(ready)::bigint,
  sum(blocked)::bigint,
  sum(scheduled)::bigint,
  sum(failed)::bigint,
  sum(running)::bigint,
  sum(parked)::bigint,
  CASE
    WHEN min(since) IS NOT NULL THEN greatest(0, extract(epoch FROM %(skew)s + now() - min(since)))
  END::double precision
FROM (
  SELECT queue, sum(ready) AS ready, 0 AS blocked, 0 AS scheduled, 0 AS failed, 0 AS running, 0 AS parked,
    NULL::timestamptz AS since
  FROM level
  GROUP BY queue
  UNION ALL
  SELECT queue, 0, 0, 0, 0, 0, 0, since
  FROM head
  UNION ALL
  SELECT queue, 0, 0, count(*) FILTER (WHERE failures = 0), count(*) FILTER (WHERE failures > 0),
    0, 0, NULL
  FROM leasehold.scheduled
  GROUP BY queue
  UNION ALL
  SELECT queue, 0, 0, 0, 0, count(*), 0, NULL
  FROM leasehold.lease
  CROSS JOIN LATERAL (
    SELECT queue FROM leasehold.job WHERE job.id = lease.job_id OFFSET 0
  ) AS job
  GROUP BY queue
  UNION ALL
  SELECT queue, 0, 0, 0, 0, 0, count(*), NULL
  FROM leasehold.parked
  GROUP BY queue
  UNION ALL
  SELECT queue, count(*) FILTER (WHERE NOT is_blocked AND NOT is_set_aside),
    count(*) FILTER (WHERE is_blocked AND NOT is_set_aside), 0, 0, 0,
    count(*) FILTER (WHERE is_set_aside),
    min(created_at) FILTER (WHERE NOT is_blocked AND NOT is_set_aside)
  FROM (
    SELECT queue, created_at, lane <> '' OR stage = '#' AS is_blocked, stage LIKE '=%%' AS is_set_aside
    FROM leasehold.waiting
  ) AS waiting
  GROUP BY queue
) AS place
GROUP BY queue
ORDER BY queue
