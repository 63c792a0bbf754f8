-- Removes from parked what was leased. Primary key.
DELETE FROM leasehold_parked
WHERE job_id IN (SELECT value FROM json_each(:ids))
