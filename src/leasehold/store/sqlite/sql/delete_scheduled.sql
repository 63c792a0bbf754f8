-- Deletes a job's row in scheduled, when it is not running. Index on job_id.
DELETE FROM leasehold_scheduled
WHERE job_id = :id
