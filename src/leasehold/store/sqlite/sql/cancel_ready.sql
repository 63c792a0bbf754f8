-- Takes a waiting job out of ready. Index on job_id: the row that this deletes is the right to end it.
DELETE FROM leasehold_ready
WHERE job_id = :id
RETURNING attempt, failures, lapses, tenant
