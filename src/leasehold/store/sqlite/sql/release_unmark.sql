-- Forgets that these jobs wait for others, where they do not any more. Primary keys.
DELETE FROM leasehold_dependent
WHERE job_id IN (SELECT value FROM json_each(:ids))
AND NOT EXISTS (
  SELECT 1
  FROM leasehold_waiting AS waiting
  WHERE waiting.job_id = leasehold_dependent.job_id
  AND waiting.stage = '#'
)
RETURNING job_id
