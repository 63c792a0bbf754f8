-- Adds the oldest counts of the finest span to all coarser ones, and to span 0: primary key, a part at a time.
-- They go from there in the same statement, so that whoever adds up a coarser span and the finest one sees
-- each count once. What a worker adds to them later on is a row again, for the next time; rows that are being
-- written are skipped.
WITH due AS MATERIALIZED (
  SELECT ctid
  FROM leasehold.statistic
  WHERE span = 10
    AND at < %(skew)s + now() - make_interval(secs => %(kept)s)
  ORDER BY at
  LIMIT %(limit)s
  FOR UPDATE SKIP LOCKED
),
gone AS (
  DELETE FROM leasehold.statistic
  WHERE ctid = ANY (ARRAY (SELECT ctid FROM due))
  RETURNING at, queue, kind, fact, bucket, count, seconds
),
folded AS (
  INSERT INTO leasehold.statistic AS known (span, at, queue, kind, fact, bucket, count, seconds)
  SELECT level.span,
    CASE
      WHEN level.span = 0 THEN 'epoch'
      ELSE date_bin(make_interval(secs => level.span), gone.at, 'epoch')
    END AS slot,
    queue, kind, fact, bucket, sum(count), sum(seconds)
  FROM gone
  CROSS JOIN unnest(%(spans)s::integer[]) AS level (span)
  GROUP BY level.span, slot, queue, kind, fact, bucket
  ORDER BY level.span, slot, queue, kind, fact, bucket
  ON CONFLICT (span, at, queue, kind, fact, bucket) DO UPDATE
  SET count = known.count + excluded.count,
    seconds = known.seconds + excluded.seconds
)
SELECT count(*) FROM gone
