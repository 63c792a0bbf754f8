-- Lists succeeded jobs, newest first; a success is final. Primary key of leasehold_outcome: no sort.
SELECT job.id
FROM leasehold_outcome AS outcome
CROSS JOIN leasehold_job AS job ON job.id = outcome.job_id
WHERE outcome.job_id < :before
AND outcome.job_id >= :above
AND outcome.state = 'succeeded'
AND (:queue IS NULL OR job.queue = :queue)
AND (:kind IS NULL OR job.kind = :kind)
AND (:tenant IS NULL OR job.tenant = :tenant)
ORDER BY outcome.job_id DESC
LIMIT :limit
