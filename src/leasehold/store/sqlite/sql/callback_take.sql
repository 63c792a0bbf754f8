-- Takes the marks of those of these jobs that have ended: whoever does so makes their callbacks.
-- Primary keys.
DELETE FROM leasehold_callback
WHERE job_id IN (SELECT value FROM json_each(:ids))
AND (
  SELECT state IN ('succeeded', 'dead', 'cancelled')
  FROM leasehold_outcome
  WHERE leasehold_outcome.job_id = leasehold_callback.job_id
  ORDER BY attempt DESC
  LIMIT 1
)
RETURNING job_id
