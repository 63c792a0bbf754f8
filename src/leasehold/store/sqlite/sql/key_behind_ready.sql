-- … and takes them out of where the triggers put them. Index on job_id.
DELETE FROM leasehold_ready
WHERE job_id IN (SELECT value FROM json_each(:ids))
