-- Reads how deep one queue was, or all together, in some ranges of time: the greatest numbers in each step of so
-- many microseconds that has a sample. A queue that is not in a sample had no jobs. Ranges of the primary key.
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
  FROM json_each(:ranges) AS range
  CROSS JOIN leasehold_depth AS depth ON depth.span = range.value ->> 'span'
    AND depth.at >= range.value ->> 'since'
    AND depth.at < range.value ->> 'until'
  GROUP BY 1, queue
)
GROUP BY step
ORDER BY step
