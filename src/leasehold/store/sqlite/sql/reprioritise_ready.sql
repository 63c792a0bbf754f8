-- Changes the priority of a job in ready. Index on job_id.
UPDATE leasehold_ready
SET priority = :priority
WHERE job_id = :id
