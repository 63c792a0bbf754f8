-- In which batches are these jobs, and has one of them ended dead? Primary keys; sorts the few.
SELECT
  job.batch,
  max((
    SELECT state FROM leasehold_outcome WHERE job_id = job.id ORDER BY attempt DESC LIMIT 1
  ) = 'dead')
FROM json_each(:ids) AS ended
CROSS JOIN leasehold_job AS job ON job.id = ended.value
WHERE job.batch IS NOT NULL
GROUP BY job.batch
