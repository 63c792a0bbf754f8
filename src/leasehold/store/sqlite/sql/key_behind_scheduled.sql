-- … and takes them out of where the triggers put them. Primary key.
DELETE FROM leasehold_scheduled
WHERE job_id IN (SELECT value FROM json_each(:ids))
