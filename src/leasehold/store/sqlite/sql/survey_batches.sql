-- Is there a batch that has not ended? leasehold_batch_open.
SELECT 1
FROM leasehold_batch
WHERE ended_at IS NULL
LIMIT 1
