-- Lists the newest attempts that did not end well, and what became of their jobs: outcome_failure,
-- backwards, and primary keys.
SELECT outcome.job_id, job.kind, job.queue, left(outcome.error, 500), outcome.finished_at,
  outcome.state = 'dead' AND newer.attempt IS NULL AND live.job_id IS NULL,
  newer.attempt IS NULL AND live.is_waiting
FROM (
  SELECT job_id, attempt, state, error, finished_at
  FROM leasehold.outcome
  WHERE outcome.state IN ('failed', 'dead', 'lapsed')
    AND outcome.finished_at >= %(since)s
  ORDER BY outcome.finished_at DESC
  LIMIT %(limit)s
) AS outcome
CROSS JOIN LATERAL (
  SELECT kind, queue FROM leasehold.job WHERE job.id = outcome.job_id OFFSET 0
) AS job
LEFT JOIN LATERAL (
  SELECT newer.attempt
  FROM leasehold.outcome AS newer
  WHERE newer.job_id = outcome.job_id
    AND newer.attempt > outcome.attempt
  LIMIT 1
) AS newer ON true
LEFT JOIN LATERAL ( -- only of jobs whose last attempt this is
  SELECT job_id, is_waiting
  FROM (
    SELECT job_id, true AS is_waiting FROM leasehold.scheduled WHERE scheduled.job_id = outcome.job_id
    UNION ALL
    SELECT job_id, true FROM leasehold.ready WHERE ready.job_id = outcome.job_id
    UNION ALL
    SELECT job_id, true FROM leasehold.waiting WHERE waiting.job_id = outcome.job_id
    UNION ALL
    SELECT job_id, true FROM leasehold.parked WHERE parked.job_id = outcome.job_id
    UNION ALL
    SELECT job_id, false FROM leasehold.lease WHERE lease.job_id = outcome.job_id
  ) AS place
  WHERE newer.attempt IS NULL
  LIMIT 1
) AS live ON true
ORDER BY outcome.finished_at DESC
