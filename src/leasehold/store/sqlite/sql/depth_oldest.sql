-- Says since when the oldest ready job of each queue has waited: since it was made, was due, or last ran.
-- It is looked for among the first of each priority: those behind them were made later. Scans the live tables.
WITH level AS MATERIALIZED (
  SELECT DISTINCT queue, is_suspect, priority FROM leasehold_ready
),
head AS (
  SELECT level.queue, ready.job_id, ready.created_at, ready.attempt
  FROM level
  CROSS JOIN leasehold_ready AS ready ON ready.queue = level.queue
    AND ready.is_suspect = level.is_suspect
    AND ready.priority = level.priority
    AND ready.created_at <= coalesce((
      SELECT created_at
      FROM leasehold_ready AS bound
      WHERE bound.queue = level.queue
        AND bound.is_suspect = level.is_suspect
        AND bound.priority = level.priority
      ORDER BY created_at
      LIMIT 1 OFFSET 19
    ), 9223372036854775807)
)
SELECT queue, min(since)
FROM (
  SELECT head.queue, max(head.created_at, coalesce(job.run_at, 0), coalesce(outcome.finished_at, 0))
    AS since
  FROM head
  LEFT JOIN leasehold_job AS job ON job.id = head.job_id
  LEFT JOIN leasehold_outcome AS outcome ON outcome.job_id = head.job_id
    AND outcome.attempt = head.attempt
  UNION ALL
  SELECT queue, min(created_at)
  FROM leasehold_waiting
  WHERE lane = ''
    AND stage <> '#'
    AND stage NOT LIKE '=%'
  GROUP BY queue
)
GROUP BY queue
