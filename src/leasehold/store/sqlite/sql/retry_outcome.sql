-- Reads where the attempts of an ended job stand. Primary keys.
SELECT outcome.attempt, job.priority
FROM leasehold_outcome AS outcome
JOIN leasehold_job AS job ON job.id = outcome.job_id
WHERE outcome.job_id = :id
ORDER BY outcome.attempt DESC
LIMIT 1
