-- Reads how deep the queues were since a moment, the greatest numbers in each step of so many microseconds: a
-- range of the primary key.
SELECT at - at % :step AS step, queue, max(ready), max(blocked), max(scheduled), max(failed), max(running),
  max(parked), max(oldest_seconds)
FROM leasehold_depth
WHERE span IN (10, 300)
  AND at >= :since
  AND (:queue IS NULL OR queue = :queue)
GROUP BY 1, queue
ORDER BY 1, queue
