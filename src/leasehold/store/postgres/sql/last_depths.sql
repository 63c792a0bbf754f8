-- Reads the newest sample of how deep the queues are: primary key.
SELECT at, queue, ready, blocked, scheduled, failed, running, parked, oldest_seconds
FROM leasehold.depth
WHERE span = 10
  AND at = (SELECT at FROM leasehold.depth WHERE span = 10 ORDER BY at DESC LIMIT 1)
ORDER BY queue
