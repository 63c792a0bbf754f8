-- Counts the members of a batch. Index on (batch, id).
SELECT count(*)
FROM leasehold_job
WHERE batch = :batch
