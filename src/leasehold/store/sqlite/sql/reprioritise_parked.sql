-- Changes the priority of a job in parked. Index on job_id.
UPDATE leasehold_parked
SET priority = :priority
WHERE job_id = :id
