-- Lists queued jobs, newest first. Each part is read by its index on job_id and merged: no sort.
SELECT job_id
FROM leasehold_ready
WHERE job_id < :before
AND job_id >= :above
AND (:queue IS NULL OR queue = :queue)
AND (:kind IS NULL OR kind = :kind)
AND (:tenant IS NULL OR tenant = :tenant)
UNION ALL
SELECT job_id
FROM leasehold_scheduled
WHERE job_id < :before
AND job_id >= :above
AND failures = 0
AND (:queue IS NULL OR queue = :queue)
AND (:kind IS NULL OR kind = :kind)
AND (:tenant IS NULL OR tenant = :tenant)
UNION ALL
SELECT job_id
FROM leasehold_parked
WHERE job_id < :before
AND job_id >= :above
AND (:queue IS NULL OR queue = :queue)
AND (:kind IS NULL OR kind = :kind)
AND (:tenant IS NULL OR tenant = :tenant)
UNION ALL
SELECT job_id
FROM leasehold_waiting
WHERE job_id < :before
AND job_id >= :above
AND lane = '' -- with a throttle's key it is blocked
AND stage <> '#' -- so is one behind another of its key
AND (:queue IS NULL OR queue = :queue)
AND (:kind IS NULL OR kind = :kind)
AND (:tenant IS NULL OR tenant = :tenant)
ORDER BY job_id DESC
LIMIT :limit
