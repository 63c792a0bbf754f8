-- Lists batches, newest first. Primary key.
SELECT id
FROM leasehold_batch
WHERE id < :before
AND (:tenant IS NULL OR tenant = :tenant)
AND (:name IS NULL OR name = :name)
AND (:parent IS NULL OR parent = :parent)
AND (:status IS NULL OR :status = CASE
  WHEN cancelled_at IS NOT NULL AND ended_at IS NOT NULL THEN 'cancelled'
  WHEN cancelled_at IS NOT NULL THEN 'cancelling'
  WHEN ended_at IS NOT NULL THEN 'ended'
  WHEN sealed_at IS NOT NULL THEN 'sealed'
  ELSE 'open'
END)
ORDER BY id DESC
LIMIT :limit
