-- Says where a look at so many ends, as find_failed goes. Primary key, backwards.
SELECT job_id
FROM leasehold_scheduled
WHERE job_id < :before
ORDER BY job_id DESC
LIMIT 1 OFFSET :count
