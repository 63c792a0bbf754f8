-- Ends the leases whose outcomes were just written: the same, since the write lock is held.
-- Primary key.
DELETE FROM leasehold_lease
WHERE job_id IN (SELECT value FROM json_each(:ids))
