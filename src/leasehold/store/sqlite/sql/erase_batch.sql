-- Deletes a batch without members. Primary key; index on (batch, id).
DELETE FROM leasehold_batch
WHERE id = :batch
AND NOT EXISTS (SELECT 1 FROM leasehold_job WHERE batch = :batch)
