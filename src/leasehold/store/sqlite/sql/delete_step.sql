-- Deletes a job's rows in step, when it is not running. Primary key.
DELETE FROM leasehold_step
WHERE job_id = :id
