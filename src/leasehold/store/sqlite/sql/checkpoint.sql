-- Reads what a job has saved last. Primary key.
SELECT cursor, done, total, note, saved_at
FROM leasehold_checkpoint
WHERE job_id = :id
