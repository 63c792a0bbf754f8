-- Takes a waiting job out of its lane. Primary key: the row that this deletes is the right to end it.
DELETE FROM leasehold_waiting
WHERE job_id = :id
RETURNING attempt, failures, lapses, tenant
