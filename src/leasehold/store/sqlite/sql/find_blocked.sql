-- Lists jobs that wait for their throttle, or for other jobs, newest first.
-- Primary key: no sort.
SELECT job_id
FROM leasehold_waiting
WHERE job_id < :before
AND job_id >= :above
AND (lane <> '' OR stage = '#')
AND (:queue IS NULL OR queue = :queue)
AND (:kind IS NULL OR kind = :kind)
AND (:tenant IS NULL OR tenant = :tenant)
ORDER BY job_id DESC
LIMIT :limit
