-- Says where a look at so many ends, as find_blocked goes. leasehold_waiting_job, backwards.
SELECT job_id
FROM leasehold_waiting
WHERE job_id < :before
ORDER BY job_id DESC
LIMIT 1 OFFSET :count
