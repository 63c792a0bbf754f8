-- Serialises an operator's retry and delete of an ended job; workers never lock this row.
SELECT id
FROM leasehold.job
WHERE id = %(job_id)s
FOR UPDATE
