-- Lists jobs that wait for their next try, newest first. Index leasehold_scheduled_failed: no sort.
SELECT job_id
FROM leasehold_scheduled
WHERE job_id < :before
AND job_id >= :above
AND failures > 0
AND (:queue IS NULL OR queue = :queue)
AND (:kind IS NULL OR kind = :kind)
AND (:tenant IS NULL OR tenant = :tenant)
ORDER BY job_id DESC
LIMIT :limit
