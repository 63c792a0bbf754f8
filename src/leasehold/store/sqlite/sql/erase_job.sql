-- Deletes jobs that are taken away. Primary key.
DELETE FROM leasehold_job
WHERE id IN (SELECT value FROM json_each(:jobs))
