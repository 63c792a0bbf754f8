-- Lists running jobs, newest first. Primary key: no sort.
SELECT lease.job_id
FROM leasehold_lease AS lease
CROSS JOIN leasehold_job AS job ON job.id = lease.job_id
WHERE lease.job_id < :before
AND lease.job_id >= :above
AND (:queue IS NULL OR job.queue = :queue)
AND (:kind IS NULL OR job.kind = :kind)
AND (:tenant IS NULL OR lease.tenant = :tenant)
ORDER BY lease.job_id DESC
LIMIT :limit
