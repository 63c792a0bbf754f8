-- Reads a batch's own row. Primary key.
SELECT id, tenant, name, parent, meta, on_end, on_failure, round, sealed_at, failed_at, cancelled_at, ended_at
FROM leasehold_batch
WHERE id = :id
