-- Brings the oldest samples of a span together in the next one, the greatest numbers, or forgets them after
-- the last: primary key, a part at a time.
WITH due AS MATERIALIZED (
  SELECT ctid
  FROM leasehold.depth
  WHERE span = %(span)s
    AND at < date_bin(make_interval(secs => %(step)s),
      %(skew)s + now() - make_interval(secs => %(kept)s), 'epoch')
  ORDER BY at
  LIMIT %(limit)s
  FOR UPDATE SKIP LOCKED
),
gone AS (
  DELETE FROM leasehold.depth
  WHERE ctid = ANY (ARRAY (SELECT ctid FROM due))
  RETURNING at, queue, ready, blocked, scheduled, failed, running, parked, oldest_seconds
),
coarser AS (
  INSERT INTO leasehold.depth AS known (span, at, queue, ready, blocked, scheduled, failed, running, parked,
    oldest_seconds)
  SELECT %(following)s::integer, date_bin(make_interval(secs => %(step)s), at, 'epoch') AS slot, queue,
    max(ready), max(blocked), max(scheduled), max(failed), max(running), max(parked), max(oldest_seconds)
  FROM gone
  WHERE %(following)s::integer IS NOT NULL
  GROUP BY slot, queue
  ORDER BY slot, queue
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
