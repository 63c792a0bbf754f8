-- Takes back what this very enqueue wrote before it met a conflict. Index on id.
DELETE FROM leasehold_job
WHERE id IN (SELECT value FROM json_each(:ids))
