-- Reads how deep one queue was, or all together, since a moment: the greatest numbers in each step of so many
-- microseconds that has a sample. A queue that is not in a sample had no jobs. A range of the primary key.
SELECT
  step,
  coalesce(sum(ready) FILTER (WHERE is_wanted), 0),
  coalesce(sum(blocked) FILTER (WHERE is_wanted), 0),
  coalesce(sum(scheduled) FILTER (WHERE is_wanted), 0),
  coalesce(sum(failed) FILTER (WHERE is_wanted), 0),
  coalesce(sum(running) FILTER (WHERE is_wanted), 0),
  coalesce(sum(parked) FILTER (WHERE is_wanted), 0),
  max(oldest_seconds) FILTER (WHERE is_wanted)
FROM (
  SELECT at - at % :step AS step, :queue IS NULL OR queue = :queue AS is_wanted, max(ready) AS ready,
    max(blocked) AS blocked, max(scheduled) AS scheduled, max(failed) AS failed,
    max(running) AS running, max(parked) AS parked, max(oldest_seconds) AS oldest_seconds
  FROM leasehold_depth
  WHERE span IN (10, 60, 300, 3600)
    AND at >= :since
  GROUP BY 1, queue
)
GROUP BY step
ORDER BY step
