-- Says where a look at so many ends, as find_failed goes: primary key, backwards.
SELECT job_id
FROM leasehold.scheduled
WHERE job_id < %(before)s
ORDER BY job_id DESC
OFFSET %(count)s
LIMIT 1
