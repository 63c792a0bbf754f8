-- Ends a batch, once. Primary key.
UPDATE leasehold_batch
SET ended_at = :now
WHERE id = :id
AND ended_at IS NULL
