-- Deletes a job's row in job, when it is not running. Index on id.
DELETE FROM leasehold_job
WHERE id = :id
