-- Reads the parked jobs of one kind and queue in the order of the claim. leasehold_parked_order.
-- A paused queue gives nothing, nor does one with a limit without its gate: looked up once, by its primary key.
SELECT
  parked.job_id, parked.kind, parked.queue, job.args, parked.attempt, parked.failures,
  parked.lapses, job.max_attempts, job.timeout_seconds, parked.tenant, parked.priority,
  parked.created_at, parked.batch, job.trace
FROM leasehold_parked AS parked
CROSS JOIN leasehold_job AS job ON job.id = parked.job_id
WHERE parked.kind = :kind
AND parked.queue = :queue
AND NOT EXISTS (
  SELECT 1
  FROM leasehold_queue
  WHERE name = :queue
  AND (paused_until > :now OR running_limit IS NOT NULL AND :gate IS NULL)
)
AND (parked.lapses > 0) = :is_suspect
ORDER BY parked.priority DESC, parked.created_at, parked.job_id
LIMIT :limit
