-- Which batches that have not ended are nested in this one? leasehold_batch_parent.
SELECT id
FROM leasehold_batch
WHERE parent = :id
AND ended_at IS NULL
ORDER BY id
