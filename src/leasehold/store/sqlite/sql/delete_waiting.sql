-- Deletes a job's row in waiting, when it is not running. Primary key.
DELETE FROM leasehold_waiting
WHERE job_id = :id
