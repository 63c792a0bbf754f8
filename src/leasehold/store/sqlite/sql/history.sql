-- Lists a job's ended attempts, oldest first. Primary key.
SELECT
  outcome.attempt, outcome.state, outcome.fence, outcome.worker, worker.name, outcome.started_at,
  outcome.finished_at, outcome.result, outcome.error, outcome.traceback
FROM leasehold_outcome AS outcome
LEFT JOIN leasehold_worker AS worker ON worker.id = outcome.worker
WHERE outcome.job_id = :id
ORDER BY outcome.attempt
