-- Brings the oldest samples of the finest span to all coarser ones, the greatest numbers: primary key, a part
-- at a time.
WITH due AS MATERIALIZED (
  SELECT ctid
  FROM leasehold.depth
  WHERE span = 10
    AND at < %(skew)s + now() - make_interval(secs => %(kept)s)
  ORDER BY at
  LIMIT %(limit)s
  FOR UPDATE SKIP LOCKED
),
gone AS (
  DELETE FROM leasehold.depth
  WHERE ctid = ANY (ARRAY (SELECT ctid FROM due))
  RETURNING at, queue, ready, blocked, scheduled, failed, running, parked, oldest_seconds
),
folded AS (
  INSERT INTO leasehold.depth AS known (span, at, queue, ready, blocked, scheduled, failed, running, parked,
    oldest_seconds)
  SELECT level.span, date_bin(make_interval(secs => level.span), gone.at, 'epoch') AS slot, queue,
    max(ready), max(blocked), max(scheduled), max(failed), max(running), max(parked), max(oldest_seconds)
  FROM gone
  CROSS JOIN unnest(%(spans)s::integer[]) AS level (span)
  GROUP BY level.span, slot, queue
  ORDER BY level.span, slot, queue
  ON CONFLICT (span, at, queue) DO UPDATE
  SET ready = greatest(known.ready, excluded.ready),
    blocked = greatest(known.blocked, excluded.blocked),
    scheduled = greatest(known.scheduled, excluded.scheduled),
    failed = greatest(known.failed, excluded.failed),
    running = greatest(known.running, excluded.running),
    parked = greatest(known.parked, excluded.parked),
    oldest_seconds = greatest(known.oldest_seconds, excluded.oldest_seconds)
)
SELECT count(*) FROM gone
