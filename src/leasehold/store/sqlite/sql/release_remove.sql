-- … out of where they waited. Primary key.
DELETE FROM leasehold_waiting
WHERE job_id IN (SELECT value FROM json_each(:ids))
AND stage = '#'
