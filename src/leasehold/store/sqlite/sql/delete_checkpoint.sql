-- Deletes a job's rows in checkpoint, when it is not running. Primary key.
DELETE FROM leasehold_checkpoint
WHERE job_id = :id
