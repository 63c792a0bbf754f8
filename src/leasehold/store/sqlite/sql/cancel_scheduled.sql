-- Takes a waiting job out of scheduled. Index on job_id: the row that this deletes is the right to end it.
DELETE FROM leasehold_scheduled
WHERE job_id = :id
RETURNING attempt, failures, lapses, tenant
