-- Deletes the oldest counts of a span: primary key.
DELETE FROM leasehold_statistic
WHERE (span, at, queue, kind, fact, bucket) IN (
  SELECT span, at, queue, kind, fact, bucket
  FROM leasehold_statistic
  WHERE span = :span
    AND at < :before
  ORDER BY at, queue, kind, fact, bucket
  LIMIT :limit
)
