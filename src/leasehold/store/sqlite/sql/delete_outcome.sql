-- Deletes a job's row in outcome, when it is not running. Index on job_id.
DELETE FROM leasehold_outcome
WHERE job_id = :id
