-- Notes that a member has ended dead, once. Primary key.
UPDATE leasehold_batch
SET failed_at = :now
WHERE id = :id
AND failed_at IS NULL
