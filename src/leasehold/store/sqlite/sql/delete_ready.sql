-- Deletes a job's row in ready, when it is not running. Index on job_id.
DELETE FROM leasehold_ready
WHERE job_id = :id
