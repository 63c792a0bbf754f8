-- Changes the priority of a job in scheduled. Index on job_id.
UPDATE leasehold_scheduled
SET priority = :priority
WHERE job_id = :id
