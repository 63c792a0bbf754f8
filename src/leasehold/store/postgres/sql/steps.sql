-- Lists the steps that a job remembers, oldest first: primary key.
SELECT name, result::text, done_at
FROM leasehold.step
WHERE job_id = %(job_id)s
ORDER BY done_at, name
