-- Reads what stands under these ids, to tell a repeated enqueue from a conflict. Primary key.
SELECT id, kind, tenant, args
FROM leasehold_job
WHERE id IN (SELECT value FROM json_each(:ids))
