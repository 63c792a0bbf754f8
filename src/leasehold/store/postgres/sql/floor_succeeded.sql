-- Says where a look at so many ends, as find_succeeded goes: primary key, backwards.
SELECT job_id
FROM leasehold.outcome
WHERE job_id < %(before)s
ORDER BY job_id DESC
OFFSET %(count)s
LIMIT 1
