-- Reads where a job stands, with all that its state may rest on. Primary keys.
SELECT
  CASE
    WHEN lease.job_id IS NOT NULL THEN 'lease'
    WHEN ready.job_id IS NOT NULL THEN 'ready'
    WHEN waiting.job_id IS NOT NULL THEN 'waiting'
    WHEN parked.job_id IS NOT NULL THEN 'parked'
    WHEN scheduled.job_id IS NOT NULL THEN 'scheduled'
    ELSE 'outcome'
  END AS place,
  outcome.state AS last_outcome,
  lease.cancelled_by,
  coalesce(waiting.stage, '') AS stage,
  waiting.place AS place_in_lane,
  ready.is_suspect,
  job.key,
  (
    SELECT held.job_id
    FROM leasehold_key AS held
    WHERE held.tenant = job.tenant
    AND held.key = job.key
    AND held.next = job.id
  ) AS behind
FROM leasehold_job AS job
LEFT JOIN leasehold_lease AS lease ON lease.job_id = job.id
LEFT JOIN leasehold_ready AS ready ON ready.job_id = job.id
LEFT JOIN leasehold_waiting AS waiting ON waiting.job_id = job.id
LEFT JOIN leasehold_parked AS parked ON parked.job_id = job.id
LEFT JOIN leasehold_scheduled AS scheduled ON scheduled.job_id = job.id
LEFT JOIN leasehold_outcome AS outcome
  ON outcome.job_id = job.id
  AND outcome.attempt = (SELECT max(attempt) FROM leasehold_outcome WHERE job_id = job.id)
WHERE job.id = :id
