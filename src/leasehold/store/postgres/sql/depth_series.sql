-- Reads how deep the queues were since a moment, the greatest numbers in each step of so many seconds: a
-- range of the primary key.
SELECT date_bin(make_interval(secs => %(step_seconds)s), at, 'epoch') AS step, queue, max(ready),
  max(blocked), max(scheduled), max(failed), max(running), max(parked), max(oldest_seconds)
FROM leasehold.depth
WHERE span IN (10, 300)
  AND at >= %(since)s
  AND (%(queue)s::text IS NULL OR queue = %(queue)s)
GROUP BY step, queue
ORDER BY step, queue
