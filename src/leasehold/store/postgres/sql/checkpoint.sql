-- Reads what a job has saved last: primary key.
SELECT cursor::text, done, total, note, saved_at
FROM leasehold.checkpoint
WHERE job_id = %(job_id)s
