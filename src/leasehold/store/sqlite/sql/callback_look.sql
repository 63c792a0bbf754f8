-- Does any live job call back? Reads one row at most: primary key.
SELECT 1
FROM leasehold_callback
WHERE job_id > ''
LIMIT 1
