-- Takes a job that waits for its next try out of scheduled. Primary key.
DELETE FROM leasehold_scheduled
WHERE job_id = :id
AND failures > 0
RETURNING attempt, priority
