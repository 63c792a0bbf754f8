-- Takes back what this very enqueue wrote before it met a conflict. Primary key.
DELETE FROM leasehold_callback
WHERE job_id IN (SELECT value FROM json_each(:ids))
