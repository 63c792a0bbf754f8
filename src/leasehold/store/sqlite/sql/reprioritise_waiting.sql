-- Changes the priority of a job in waiting, and with it its place. Primary key.
UPDATE leasehold_waiting
SET priority = :priority
WHERE job_id = :id
