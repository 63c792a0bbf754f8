-- Ends those that never can have what they need, as attempts of their own. Primary keys.
INSERT INTO leasehold_outcome
  (job_id, attempt, state, failures, lapses, finished_at, tenant, error)
SELECT
  waiting.job_id, waiting.attempt + 1, 'cancelled', waiting.failures, waiting.lapses, :now,
  waiting.tenant, forsaken.value
FROM json_each(:reasons) AS forsaken
CROSS JOIN leasehold_waiting AS waiting ON waiting.job_id = forsaken.key
WHERE waiting.stage = '#'
