-- Brings the oldest samples of the finest span to a coarser one, the greatest numbers: primary key. The write lock is
-- held, so that forget_depths deletes the very same rows.
INSERT INTO leasehold_depth AS known (span, at, queue, ready, blocked, scheduled, failed, running, parked,
  oldest_seconds)
SELECT :into, at - at % :step, queue, max(ready), max(blocked), max(scheduled), max(failed),
  max(running), max(parked), max(oldest_seconds)
FROM (
  SELECT at, queue, ready, blocked, scheduled, failed, running, parked, oldest_seconds
  FROM leasehold_depth
  WHERE span = 10
    AND at < :before
  ORDER BY at, queue
  LIMIT :limit
)
WHERE true -- so that ON CONFLICT is not read as part of a join
GROUP BY 2, queue
ON CONFLICT (span, at, queue) DO UPDATE
SET ready = max(known.ready, excluded.ready),
  blocked = max(known.blocked, excluded.blocked),
  scheduled = max(known.scheduled, excluded.scheduled),
  failed = max(known.failed, excluded.failed),
  running = max(known.running, excluded.running),
  parked = max(known.parked, excluded.parked),
  oldest_seconds = coalesce(max(known.oldest_seconds, excluded.oldest_seconds), known.oldest_seconds,
    excluded.oldest_seconds)
