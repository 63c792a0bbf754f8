-- Says where a look at so many ends, as find_blocked goes: waiting_job, backwards.
SELECT job_id
FROM leasehold.waiting
WHERE job_id < %(before)s
ORDER BY job_id DESC
OFFSET %(count)s
LIMIT 1
