-- Which key does a job have? Primary key.
SELECT tenant, key
FROM leasehold_job
WHERE id = :id
AND key IS NOT NULL
