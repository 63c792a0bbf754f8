-- Names jobs that were made to wait for this one, of its tenant. Primary keys.
SELECT waits.job_id
FROM leasehold_job AS job
CROSS JOIN leasehold_dependency AS waits ON waits.needs = job.id AND waits.tenant = job.tenant
WHERE job.id = :id
ORDER BY waits.job_id
LIMIT :limit
