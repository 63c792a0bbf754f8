-- Which jobs wait for others? Newest first, below that one. Primary key.
SELECT job_id
FROM leasehold_dependent
WHERE job_id < :before
ORDER BY job_id DESC
LIMIT :limit
