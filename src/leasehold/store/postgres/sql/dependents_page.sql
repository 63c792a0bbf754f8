-- Names jobs that wait for others, newest first, below that one: primary key.
SELECT job_id
FROM leasehold.dependent
WHERE job_id < %(before)s
ORDER BY job_id DESC
LIMIT %(limit)s
