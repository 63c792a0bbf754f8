-- Takes back what this very enqueue wrote before it met a conflict. Index on job_id.
DELETE FROM leasehold_dependency
WHERE job_id IN (SELECT value FROM json_each(:ids))
