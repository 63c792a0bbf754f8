-- Lists the steps that a job remembers, oldest first. Primary key.
SELECT name, result, done_at
FROM leasehold_step
WHERE job_id = :id
ORDER BY done_at, name
