-- serves code from 1

-- A job with where it stands, in one row: for reading single jobs and pages of them by id.
CREATE VIEW leasehold.record AS
SELECT
  job.id,
  job.tenant,
  job.queue,
  job.kind,
  job.args,
  CASE
    WHEN lease.job_id IS NOT NULL THEN 'running'
    WHEN waiting.lane <> '' OR waiting.stage = '#' THEN 'blocked'
    WHEN scheduled.failures > 0 THEN 'failed'
    WHEN coalesce(ready.job_id, scheduled.job_id, parked.job_id, waiting.job_id) IS NOT NULL
      THEN 'queued'
    ELSE last.state::text
  END AS state,
  coalesce(ready.priority, scheduled.priority, parked.priority, waiting.priority, lease.priority,
    job.priority) AS priority,
  coalesce(ready.attempt, scheduled.attempt, parked.attempt, waiting.attempt, lease.attempt,
    last.attempt, 0) AS attempt,
  coalesce(ready.failures, scheduled.failures, parked.failures, waiting.failures, lease.failures,
    last.failures, 0) AS failures,
  coalesce(ready.lapses, scheduled.lapses, parked.lapses, waiting.lapses, lease.lapses,
    last.lapses, 0) AS lapses,
  job.max_attempts,
  job.timeout_seconds,
  coalesce(scheduled.run_at, job.run_at) AS run_at,
  lease.worker,
  worker.name AS worker_name,
  lease.claimed_at,
  lease.until AS lease_until,
  coalesce(lease.cancel_requested, false) AS cancel_requested,
  job.batch,
  job.lane,
  coalesce(lease.claimed_at, last.started_at) AS started_at,
  CASE
    WHEN coalesce(ready.job_id, scheduled.job_id, parked.job_id, waiting.job_id,
      lease.job_id) IS NULL
      THEN last.finished_at
  END AS finished_at,
  CASE WHEN last.state = 'succeeded' THEN last.result END AS result,
  last.error,
  job.created_by,
  job.created_at,
  job.key,
  greatest(job.created_at, last.finished_at, lease.claimed_at) AS updated_at,
  job.share,
  job.cost,
  job.needs
FROM leasehold.job
LEFT JOIN leasehold.ready ON ready.job_id = job.id
LEFT JOIN leasehold.scheduled ON scheduled.job_id = job.id
LEFT JOIN leasehold.parked ON parked.job_id = job.id
LEFT JOIN leasehold.waiting ON waiting.job_id = job.id
LEFT JOIN leasehold.lease ON lease.job_id = job.id
LEFT JOIN leasehold.worker ON worker.id = lease.worker
LEFT JOIN LATERAL (
  SELECT o.state, o.attempt, o.failures, o.lapses, o.started_at, o.finished_at, o.result, o.error
  FROM leasehold.outcome AS o
  WHERE o.job_id = job.id
  ORDER BY o.attempt DESC
  LIMIT 1
) AS last ON true;

-- For people and for the applications' own views. Reading it locks nothing that a claim needs.
-- `attempts` is what was spent: the failures, plus one while running or succeeded.
CREATE VIEW leasehold.jobs AS
SELECT
  id,
  tenant AS tenant_id,
  queue,
  kind AS type,
  args::jsonb AS payload,
  state AS status,
  priority,
  failures + (state IN ('running', 'succeeded'))::integer AS attempts,
  max_attempts,
  failures,
  coalesce(run_at, created_at) AS run_at,
  coalesce(worker_name, worker::text) AS locked_by,
  claimed_at AS locked_at,
  lease_until AS locked_until,
  key,
  nullif(leasehold.shown_lane(lane), '') AS throttle_key,
  batch AS batch_id,
  started_at,
  finished_at,
  result,
  error AS error_message,
  created_by,
  created_at,
  updated_at,
  share,
  cost
FROM leasehold.record;

-- Each job once, with its state and its tenant and nothing else: who asks for one state reads where those stand, and not
-- all jobs. Dead and cancelled ones by the index of unhappy outcomes, failed ones by theirs.
CREATE VIEW leasehold.states AS
SELECT job_id AS id, 'running' AS status, tenant AS tenant_id
FROM leasehold.lease
UNION ALL
SELECT job_id, 'blocked', tenant
FROM leasehold.waiting
WHERE lane <> '' OR stage = '#'
UNION ALL
SELECT job_id, 'failed', tenant
FROM leasehold.scheduled
WHERE failures > 0
UNION ALL
SELECT job_id, 'queued', tenant
FROM leasehold.waiting
WHERE NOT (lane <> '' OR stage = '#')
UNION ALL
SELECT job_id, 'queued', tenant
FROM leasehold.scheduled
WHERE NOT failures > 0
UNION ALL
SELECT job_id, 'queued', tenant
FROM leasehold.ready
UNION ALL
SELECT job_id, 'queued', tenant
FROM leasehold.parked
UNION ALL
SELECT ended.job_id, 'dead', ended.tenant
FROM leasehold.outcome AS ended
WHERE ended.state = 'dead' AND ended.state <> 'succeeded'
  AND NOT EXISTS (SELECT 1 FROM leasehold.outcome AS later WHERE later.job_id = ended.job_id AND later.attempt > ended.attempt)
  AND NOT EXISTS (SELECT 1 FROM leasehold.lease AS live WHERE live.job_id = ended.job_id)
  AND NOT EXISTS (SELECT 1 FROM leasehold.waiting AS live WHERE live.job_id = ended.job_id)
  AND NOT EXISTS (SELECT 1 FROM leasehold.scheduled AS live WHERE live.job_id = ended.job_id)
  AND NOT EXISTS (SELECT 1 FROM leasehold.ready AS live WHERE live.job_id = ended.job_id)
  AND NOT EXISTS (SELECT 1 FROM leasehold.parked AS live WHERE live.job_id = ended.job_id)
UNION ALL
SELECT ended.job_id, 'cancelled', ended.tenant
FROM leasehold.outcome AS ended
WHERE ended.state = 'cancelled' AND ended.state <> 'succeeded'
  AND NOT EXISTS (SELECT 1 FROM leasehold.outcome AS later WHERE later.job_id = ended.job_id AND later.attempt > ended.attempt)
  AND NOT EXISTS (SELECT 1 FROM leasehold.lease AS live WHERE live.job_id = ended.job_id)
  AND NOT EXISTS (SELECT 1 FROM leasehold.waiting AS live WHERE live.job_id = ended.job_id)
  AND NOT EXISTS (SELECT 1 FROM leasehold.scheduled AS live WHERE live.job_id = ended.job_id)
  AND NOT EXISTS (SELECT 1 FROM leasehold.ready AS live WHERE live.job_id = ended.job_id)
  AND NOT EXISTS (SELECT 1 FROM leasehold.parked AS live WHERE live.job_id = ended.job_id)
UNION ALL
SELECT ended.job_id, 'succeeded', ended.tenant
FROM leasehold.outcome AS ended
WHERE ended.state = 'succeeded'
  AND NOT EXISTS (SELECT 1 FROM leasehold.outcome AS later WHERE later.job_id = ended.job_id AND later.attempt > ended.attempt)
  AND NOT EXISTS (SELECT 1 FROM leasehold.lease AS live WHERE live.job_id = ended.job_id)
  AND NOT EXISTS (SELECT 1 FROM leasehold.waiting AS live WHERE live.job_id = ended.job_id)
  AND NOT EXISTS (SELECT 1 FROM leasehold.scheduled AS live WHERE live.job_id = ended.job_id)
  AND NOT EXISTS (SELECT 1 FROM leasehold.ready AS live WHERE live.job_id = ended.job_id)
  AND NOT EXISTS (SELECT 1 FROM leasehold.parked AS live WHERE live.job_id = ended.job_id);
