-- Reads how deep one queue was, or all together, in some ranges of time: the greatest numbers in each step of so
-- many seconds that has a sample. A queue that is not in a sample had no jobs. Ranges of the primary key.
SELECT step,
  coalesce(sum(ready) FILTER (WHERE is_wanted), 0)::bigint,
  coalesce(sum(blocked) FILTER (WHERE is_wanted), 0)::bigint,
  coalesce(sum(scheduled) FILTER (WHERE is_wanted), 0)::bigint,
  coalesce(sum(failed) FILTER (WHERE is_wanted), 0)::bigint,
  coalesce(sum(running) FILTER (WHERE is_wanted), 0)::bigint,
  coalesce(sum(parked) FILTER (WHERE is_wanted), 0)::bigint,
  max(oldest_seconds) FILTER (WHERE is_wanted)
FROM (
  SELECT date_bin(make_interval(secs => %(step_seconds)s), at, 'epoch') AS step,
    %(queue)s::text IS NULL OR queue = %(queue)s AS is_wanted, max(ready) AS ready,
    max(blocked) AS blocked, max(scheduled) AS scheduled, max(failed) AS failed,
    max(running) AS running, max(parked) AS parked, max(oldest_seconds) AS oldest_seconds
  FROM jsonb_to_recordset(%(ranges)s::jsonb) AS range
    (span integer, since timestamptz, until timestamptz)
  CROSS JOIN LATERAL (
    SELECT *
    FROM leasehold.depth
    WHERE depth.span = range.span
      AND depth.at >= range.since
      AND depth.at < range.until
    OFFSET 0
  ) AS depth
  GROUP BY step, queue
) AS queue
GROUP BY step
ORDER BY step
