-- Deletes a job's rows in dependency, when it is not running. Index on job_id.
DELETE FROM leasehold_dependency
WHERE job_id = :id
