-- Lists a job's ended attempts, oldest first: primary key of outcome.
SELECT outcome.attempt, outcome.state::text, outcome.fence, outcome.worker, worker.name,
  outcome.started_at, outcome.finished_at, outcome.result::text, outcome.error, outcome.traceback
FROM leasehold.outcome
LEFT JOIN leasehold.worker ON worker.id = outcome.worker
WHERE outcome.job_id = %(job_id)s
ORDER BY outcome.attempt
