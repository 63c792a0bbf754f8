-- Takes a waiting job out of parked. Index on job_id: the row that this deletes is the right to end it.
DELETE FROM leasehold_parked
WHERE job_id = :id
RETURNING attempt, failures, lapses, tenant
