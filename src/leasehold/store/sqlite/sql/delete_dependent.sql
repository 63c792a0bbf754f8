-- Deletes a job's rows in dependent, when it is not running. Index on job_id.
DELETE FROM leasehold_dependent
WHERE job_id = :id
