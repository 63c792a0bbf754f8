-- What are the callbacks of jobs that have just ended told? Their last outcomes. Primary keys.
SELECT
  job.id, job.on_end, job.kind, outcome.state, outcome.attempt, outcome.error, job.tenant, job.batch,
  job.trace
FROM json_each(:ids) AS ended
CROSS JOIN leasehold_job AS job ON job.id = ended.value
CROSS JOIN leasehold_outcome AS outcome ON outcome.job_id = job.id
WHERE outcome.attempt = (SELECT max(attempt) FROM leasehold_outcome WHERE job_id = job.id)
