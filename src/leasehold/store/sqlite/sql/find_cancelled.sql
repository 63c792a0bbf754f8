-- Lists cancelled jobs, newest first. Index leasehold_outcome_unhappy: no sort.
-- A retry by hand may have brought the job back to life or to another end.
SELECT job.id
FROM leasehold_outcome AS outcome INDEXED BY leasehold_outcome_unhappy
CROSS JOIN leasehold_job AS job ON job.id = outcome.job_id
WHERE outcome.job_id < :before
AND outcome.job_id >= :above
AND outcome.state <> 'succeeded'
AND outcome.state = 'cancelled'
AND (:queue IS NULL OR job.queue = :queue)
AND (:kind IS NULL OR job.kind = :kind)
AND (:tenant IS NULL OR job.tenant = :tenant)
AND outcome.attempt = (SELECT max(attempt) FROM leasehold_outcome WHERE job_id = job.id)
AND NOT EXISTS (SELECT 1 FROM leasehold_ready WHERE job_id = job.id)
AND NOT EXISTS (SELECT 1 FROM leasehold_waiting WHERE job_id = job.id)
AND NOT EXISTS (SELECT 1 FROM leasehold_parked WHERE job_id = job.id)
AND NOT EXISTS (SELECT 1 FROM leasehold_lease WHERE job_id = job.id)
ORDER BY outcome.job_id DESC
LIMIT :limit
