-- Lists batches that have not ended, for a sweep: batch_open.
SELECT id, cancelled_at IS NOT NULL, cancelled_by
FROM leasehold.batch
WHERE ended_at IS NULL
  AND id > %(after)s
  AND (sealed_at IS NOT NULL OR on_failure IS NOT NULL AND failed_at IS NULL)
ORDER BY id
LIMIT %(limit)s
