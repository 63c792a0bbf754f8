-- Begins another round of a batch that has ended. Primary key.
UPDATE leasehold_batch
SET round = round + 1, sealed_at = NULL, failed_at = NULL, cancelled_at = NULL, cancelled_by = NULL,
    ended_at = NULL
WHERE id = :id
AND ended_at IS NOT NULL
