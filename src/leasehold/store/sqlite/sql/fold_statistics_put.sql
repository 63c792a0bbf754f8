-- Adds the oldest counts of the finest span to those of a coarser one, or to span 0: primary key. The write lock is
-- held, so that forget_statistics deletes the very same rows.
INSERT INTO leasehold_statistic AS known (span, at, queue, kind, fact, bucket, count, seconds)
SELECT :into, CASE WHEN :into = 0 THEN 0 ELSE at - at % :step END, queue, kind, fact, bucket,
  sum(count), sum(seconds)
FROM (
  SELECT at, queue, kind, fact, bucket, count, seconds
  FROM leasehold_statistic
  WHERE span = 10
    AND at < :before
  ORDER BY at, queue, kind, fact, bucket
  LIMIT :limit
)
WHERE true -- so that ON CONFLICT is not read as part of a join
GROUP BY 2, queue, kind, fact, bucket
ON CONFLICT (span, at, queue, kind, fact, bucket) DO UPDATE
SET count = known.count + excluded.count,
  seconds = known.seconds + excluded.seconds
