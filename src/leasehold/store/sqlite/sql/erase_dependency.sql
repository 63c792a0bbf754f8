-- Deletes what dependency has of jobs that are taken away. Index on job_id.
DELETE FROM leasehold_dependency
WHERE job_id IN (SELECT value FROM json_each(:jobs))
