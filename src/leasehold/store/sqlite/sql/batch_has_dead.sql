-- Has a member ended dead, and was not made anew? leasehold_job_batch, leasehold_outcome_unhappy.
SELECT 1
FROM leasehold_batch_unhappy
WHERE batch = :id
AND state = 'dead'
LIMIT 1
