-- Deletes what checkpoint has of jobs that are taken away. Index on job_id.
DELETE FROM leasehold_checkpoint
WHERE job_id IN (SELECT value FROM json_each(:jobs))
