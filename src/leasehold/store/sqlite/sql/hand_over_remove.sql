-- … out of where it waited. Primary key.
DELETE FROM leasehold_waiting
WHERE job_id = :id
AND stage = '#'
