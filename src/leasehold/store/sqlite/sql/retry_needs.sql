-- Does this job, ended without ever having run, need others? Primary keys.
SELECT 1
FROM leasehold_job AS job
WHERE job.id = :id
AND job.needs IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM leasehold_outcome WHERE job_id = job.id AND fence IS NOT NULL)
