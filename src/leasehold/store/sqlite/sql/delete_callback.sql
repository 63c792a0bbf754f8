-- Deletes a job's row in callback, when it is not running. Primary key.
DELETE FROM leasehold_callback
WHERE job_id = :id
