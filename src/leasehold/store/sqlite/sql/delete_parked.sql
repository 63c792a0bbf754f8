-- Deletes a job's row in parked, when it is not running. Index on job_id.
DELETE FROM leasehold_parked
WHERE job_id = :id
