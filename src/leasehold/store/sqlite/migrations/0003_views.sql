-- serves code from 1
-- For people and for the applications' own views; code does not read it. Times are ISO 8601, UTC.
-- `attempts` is what was spent: the failures, plus one while running or succeeded.
CREATE VIEW leasehold_jobs AS
WITH stand AS (
  SELECT
    job.*,
    coalesce(lease.job_id, ready.job_id, waiting.job_id, parked.job_id, scheduled.job_id) IS NOT NULL
      AS is_live,
    CASE
      WHEN lease.job_id IS NOT NULL THEN 'running'
      WHEN waiting.lane <> '' OR waiting.stage = '#' THEN 'blocked'
      WHEN scheduled.failures > 0 THEN 'failed'
      WHEN coalesce(ready.job_id, waiting.job_id, parked.job_id, scheduled.job_id) IS NOT NULL
        THEN 'queued'
      ELSE outcome.state
    END AS status,
    coalesce(lease.priority, ready.priority, waiting.priority, parked.priority, scheduled.priority,
      job.priority) AS current_priority,
    coalesce(lease.failures, ready.failures, waiting.failures, parked.failures, scheduled.failures,
      outcome.failures) AS failures,
    coalesce(scheduled.run_at, job.run_at, job.created_at) AS next_run_at,
    lease.worker AS lease_worker,
    lease.claimed_at,
    lease.until,
    coalesce(lease.claimed_at, outcome.started_at) AS begun_at,
    outcome.finished_at AS last_ended_at,
    CASE WHEN outcome.state = 'succeeded' THEN outcome.result END AS result,
    outcome.error
  FROM leasehold_job AS job
  LEFT JOIN leasehold_ready AS ready ON ready.job_id = job.id
  LEFT JOIN leasehold_waiting AS waiting ON waiting.job_id = job.id
  LEFT JOIN leasehold_scheduled AS scheduled ON scheduled.job_id = job.id
  LEFT JOIN leasehold_parked AS parked ON parked.job_id = job.id
  LEFT JOIN leasehold_lease AS lease ON lease.job_id = job.id
  LEFT JOIN leasehold_outcome AS outcome
    ON outcome.job_id = job.id
    AND outcome.attempt = (SELECT max(attempt) FROM leasehold_outcome WHERE job_id = job.id)
),
told AS (
  SELECT
    stand.*,
    CASE WHEN NOT is_live THEN last_ended_at END AS ended_at,
    max(created_at, coalesce(claimed_at, 0), coalesce(last_ended_at, 0)) AS touched_at
  FROM stand
)
SELECT
  told.id,
  told.tenant AS tenant_id,
  told.queue,
  told.kind AS type,
  told.args AS payload,
  told.status,
  told.current_priority AS priority,
  told.failures + (told.status IN ('running', 'succeeded')) AS attempts,
  told.max_attempts,
  told.failures,
  strftime('%Y-%m-%dT%H:%M:%S', told.next_run_at / 1000000, 'unixepoch')
    || printf('.%06dZ', told.next_run_at % 1000000) AS run_at,
  coalesce(worker.name, CAST(told.lease_worker AS TEXT)) AS locked_by,
  strftime('%Y-%m-%dT%H:%M:%S', told.claimed_at / 1000000, 'unixepoch')
    || printf('.%06dZ', told.claimed_at % 1000000) AS locked_at,
  strftime('%Y-%m-%dT%H:%M:%S', told.until / 1000000, 'unixepoch')
    || printf('.%06dZ', told.until % 1000000) AS locked_until,
  told.key,
  CASE
    WHEN instr(told.lane, char(30)) = 0 THEN told.lane
    ELSE substr(told.lane, 1, instr(told.lane, ':') - 1) || iif(
      substr(told.lane, -1) = char(30), '', ':' || substr(told.lane, instr(told.lane, char(30)) + 1))
  END AS throttle_key,
  told.batch AS batch_id,
  strftime('%Y-%m-%dT%H:%M:%S', told.begun_at / 1000000, 'unixepoch')
    || printf('.%06dZ', told.begun_at % 1000000) AS started_at,
  strftime('%Y-%m-%dT%H:%M:%S', told.ended_at / 1000000, 'unixepoch')
    || printf('.%06dZ', told.ended_at % 1000000) AS finished_at,
  told.result,
  told.error AS error_message,
  told.created_by,
  strftime('%Y-%m-%dT%H:%M:%S', told.created_at / 1000000, 'unixepoch')
    || printf('.%06dZ', told.created_at % 1000000) AS created_at,
  strftime('%Y-%m-%dT%H:%M:%S', told.touched_at / 1000000, 'unixepoch')
    || printf('.%06dZ', told.touched_at % 1000000) AS updated_at,
  told.share,
  told.cost
FROM told
LEFT JOIN leasehold_worker AS worker ON worker.id = told.lease_worker;

-- Each job once, with its state and its tenant and nothing else: who asks for one state reads where those stand, and not
-- all jobs. Dead and cancelled ones by the index of unhappy outcomes, failed ones by theirs.
CREATE VIEW leasehold_states AS
SELECT job_id AS id, 'running' AS status, tenant AS tenant_id
FROM leasehold_lease
UNION ALL
SELECT job_id, 'blocked', tenant
FROM leasehold_waiting
WHERE lane <> '' OR stage = '#'
UNION ALL
SELECT job_id, 'failed', tenant
FROM leasehold_scheduled
WHERE failures > 0
UNION ALL
SELECT job_id, 'queued', tenant
FROM leasehold_waiting
WHERE NOT (lane <> '' OR stage = '#')
UNION ALL
SELECT job_id, 'queued', tenant
FROM leasehold_scheduled
WHERE NOT failures > 0
UNION ALL
SELECT job_id, 'queued', tenant
FROM leasehold_ready
UNION ALL
SELECT job_id, 'queued', tenant
FROM leasehold_parked
UNION ALL
SELECT ended.job_id, 'dead', ended.tenant
FROM leasehold_outcome AS ended
WHERE ended.state = 'dead' AND ended.state <> 'succeeded'
  AND NOT EXISTS (SELECT 1 FROM leasehold_outcome AS later WHERE later.job_id = ended.job_id AND later.attempt > ended.attempt)
  AND NOT EXISTS (SELECT 1 FROM leasehold_lease AS live WHERE live.job_id = ended.job_id)
  AND NOT EXISTS (SELECT 1 FROM leasehold_waiting AS live WHERE live.job_id = ended.job_id)
  AND NOT EXISTS (SELECT 1 FROM leasehold_scheduled AS live WHERE live.job_id = ended.job_id)
  AND NOT EXISTS (SELECT 1 FROM leasehold_ready AS live WHERE live.job_id = ended.job_id)
  AND NOT EXISTS (SELECT 1 FROM leasehold_parked AS live WHERE live.job_id = ended.job_id)
UNION ALL
SELECT ended.job_id, 'cancelled', ended.tenant
FROM leasehold_outcome AS ended
WHERE ended.state = 'cancelled' AND ended.state <> 'succeeded'
  AND NOT EXISTS (SELECT 1 FROM leasehold_outcome AS later WHERE later.job_id = ended.job_id AND later.attempt > ended.attempt)
  AND NOT EXISTS (SELECT 1 FROM leasehold_lease AS live WHERE live.job_id = ended.job_id)
  AND NOT EXISTS (SELECT 1 FROM leasehold_waiting AS live WHERE live.job_id = ended.job_id)
  AND NOT EXISTS (SELECT 1 FROM leasehold_scheduled AS live WHERE live.job_id = ended.job_id)
  AND NOT EXISTS (SELECT 1 FROM leasehold_ready AS live WHERE live.job_id = ended.job_id)
  AND NOT EXISTS (SELECT 1 FROM leasehold_parked AS live WHERE live.job_id = ended.job_id)
UNION ALL
SELECT ended.job_id, 'succeeded', ended.tenant
FROM leasehold_outcome AS ended
WHERE ended.state = 'succeeded'
  AND NOT EXISTS (SELECT 1 FROM leasehold_outcome AS later WHERE later.job_id = ended.job_id AND later.attempt > ended.attempt)
  AND NOT EXISTS (SELECT 1 FROM leasehold_lease AS live WHERE live.job_id = ended.job_id)
  AND NOT EXISTS (SELECT 1 FROM leasehold_waiting AS live WHERE live.job_id = ended.job_id)
  AND NOT EXISTS (SELECT 1 FROM leasehold_scheduled AS live WHERE live.job_id = ended.job_id)
  AND NOT EXISTS (SELECT 1 FROM leasehold_ready AS live WHERE live.job_id = ended.job_id)
  AND NOT EXISTS (SELECT 1 FROM leasehold_parked AS live WHERE live.job_id = ended.job_id);
