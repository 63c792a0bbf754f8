-- Reads jobs as people see them, in one statement: each stands in exactly one table. Primary keys.
SELECT
  job.id, job.tenant, job.queue, job.kind, job.args,
  CASE
    WHEN lease.job_id IS NOT NULL THEN 'running'
    WHEN ready.job_id IS NOT NULL OR parked.job_id IS NOT NULL THEN 'queued'
    WHEN waiting.lane <> '' OR waiting.stage = '#' THEN 'blocked'
    WHEN waiting.job_id IS NOT NULL THEN 'queued'
    WHEN scheduled.failures > 0 THEN 'failed'
    WHEN scheduled.job_id IS NOT NULL THEN 'queued'
    ELSE outcome.state
  END,
  coalesce(lease.priority, ready.priority, waiting.priority, parked.priority, scheduled.priority,
    job.priority),
  coalesce(lease.attempt, ready.attempt, waiting.attempt, parked.attempt, scheduled.attempt,
    outcome.attempt),
  coalesce(lease.failures, ready.failures, waiting.failures, parked.failures, scheduled.failures,
    outcome.failures),
  coalesce(lease.lapses, ready.lapses, waiting.lapses, parked.lapses, scheduled.lapses,
    outcome.lapses),
  job.max_attempts, job.timeout_seconds,
  coalesce(scheduled.run_at, job.run_at),
  lease.worker, worker.name, lease.claimed_at, lease.until, coalesce(lease.cancel_requested, 0),
  job.batch, job.lane, job.share, job.cost,
  coalesce(lease.claimed_at, outcome.started_at),
  CASE
    WHEN coalesce(lease.job_id, ready.job_id, waiting.job_id, parked.job_id, scheduled.job_id) IS NULL
      THEN outcome.finished_at
  END,
  CASE WHEN outcome.state = 'succeeded' THEN outcome.result END,
  outcome.error,
  job.created_by, job.created_at, job.key, job.needs
FROM json_each(:ids) AS asked
CROSS JOIN leasehold_job AS job ON job.id = asked.value
LEFT JOIN leasehold_ready AS ready ON ready.job_id = job.id
LEFT JOIN leasehold_waiting AS waiting ON waiting.job_id = job.id
LEFT JOIN leasehold_scheduled AS scheduled ON scheduled.job_id = job.id
LEFT JOIN leasehold_parked AS parked ON parked.job_id = job.id
LEFT JOIN leasehold_lease AS lease ON lease.job_id = job.id
LEFT JOIN leasehold_worker AS worker ON worker.id = lease.worker
LEFT JOIN leasehold_outcome AS outcome
  ON outcome.job_id = job.id
  AND outcome.attempt = (SELECT max(attempt) FROM leasehold_outcome WHERE job_id = job.id)
ORDER BY job.id DESC
