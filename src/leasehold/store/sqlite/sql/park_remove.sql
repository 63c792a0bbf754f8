-- Removes from ready what was parked. Index on job_id.
DELETE FROM leasehold_ready
WHERE job_id IN (SELECT value FROM json_each(:ids))
