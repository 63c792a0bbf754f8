-- Adds the oldest counts of a span to those of the next one, or forgets them after the last: primary key, a
-- part at a time. What a worker adds to them later on is a row again, for the next time; rows that are being
-- written are skipped. From the finest span they go to span 0, too, in the same statement: whoever adds up
-- the spans 0 and 10 sees each count once.
WITH due AS MATERIALIZED (
  SELECT ctid
  FROM leasehold.statistic
  WHERE span = %(span)s
    AND at < date_bin(make_interval(secs => %(step)s),
      %(skew)s + now() - make_interval(secs => %(kept)s), 'epoch')
  ORDER BY at
  LIMIT %(limit)s
  FOR UPDATE SKIP LOCKED
),
gone AS (
  DELETE FROM leasehold.statistic
  WHERE ctid = ANY (ARRAY (SELECT ctid FROM due))
  RETURNING at, queue, kind, fact, bucket, count, seconds
),
coarser AS (
  INSERT INTO leasehold.statistic AS known (span, at, queue, kind, fact, bucket, count, seconds)
  SELECT %(following)s::integer, date_bin(make_interval(secs => %(step)s), at, 'epoch') AS slot, queue, kind,
    fact, bucket, sum(count), sum(seconds)
  FROM gone
  WHERE %(following)s::integer IS NOT NULL
  GROUP BY slot, queue, kind, fact, bucket
  ORDER BY slot, queue, kind, fact, bucket
  ON CONFLICT (span, at, queue, kind, fact, bucket) DO UPDATE
  SET count = known.count + excluded.count,
    seconds = known.seconds + excluded.seconds
),
ever AS (
  INSERT INTO leasehold.statistic AS known (span, at, queue, kind, fact, bucket, count, seconds)
  SELECT 0, 'epoch', queue, kind, fact, bucket, sum(count), sum(seconds)
  FROM gone
  WHERE %(span)s = 10
  GROUP BY queue, kind, fact, bucket
  ORDER BY queue, kind, fact, bucket
  ON CONFLICT (span, at, queue, kind, fact, bucket) DO UPDATE
  SET count = known.count + excluded.count,
    seconds = known.seconds + excluded.seconds
)
SELECT count(*) FROM gone
