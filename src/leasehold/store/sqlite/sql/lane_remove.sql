-- Removes from waiting what was leased. Primary key.
DELETE FROM leasehold_waiting
WHERE job_id IN (SELECT value FROM json_each(:ids))
