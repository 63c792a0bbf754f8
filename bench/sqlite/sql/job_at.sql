-- Names the ready job at a place in the order of the claims.
SELECT job_id
FROM leasehold_ready
ORDER BY queue, is_suspect, priority DESC, created_at, job_id
LIMIT 1
OFFSET :place
