-- Says where a look at so many ends, as find_succeeded goes. Primary key, backwards.
SELECT job_id
FROM leasehold_outcome
WHERE job_id < :before
ORDER BY job_id DESC
LIMIT 1 OFFSET :count
