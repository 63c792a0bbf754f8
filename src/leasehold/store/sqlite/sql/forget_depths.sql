-- Deletes the oldest samples of a span: primary key.
DELETE FROM leasehold_depth
WHERE (span, at, queue) IN (
  SELECT span, at, queue
  FROM leasehold_depth
  WHERE span = :span
    AND at < :before
  ORDER BY at, queue
  LIMIT :limit
)
