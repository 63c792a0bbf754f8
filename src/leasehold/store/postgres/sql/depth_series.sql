-- Reads how deep one queue was, or all together, since a moment: the greatest numbers in each step of so many
-- seconds that has a sample. A queue that is not in a sample had no jobs. A range of the primary key.
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
  FROM leasehold.depth
  WHERE span IN (10, 60, 300, 3600)
    AND at >= %(since)s
  GROUP BY step, queue
) AS queue
GROUP BY step
ORDER BY step
