-- Deletes what dependent has of jobs that are taken away. Index on job_id.
DELETE FROM leasehold_dependent
WHERE job_id IN (SELECT value FROM json_each(:jobs))
