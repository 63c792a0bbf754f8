-- Says where a look at so many ends, as find_running goes. Primary key, backwards.
SELECT job_id
FROM leasehold_lease
WHERE job_id < :before
ORDER BY job_id DESC
LIMIT 1 OFFSET :count
