-- Reads ready jobs of some kinds among the first of a queue, in the order of the claim. Primary key:
-- no more than the first rows are read. A paused queue gives nothing, nor does one with a limit without its gate.
SELECT
  ahead.job_id, ahead.kind, ahead.queue, job.args, ahead.attempt, ahead.failures, ahead.lapses,
  job.max_attempts, job.timeout_seconds, ahead.tenant, ahead.priority, ahead.created_at,
  ahead.batch, job.trace
FROM (
  SELECT *
  FROM leasehold_ready
  WHERE queue = :queue
  AND is_suspect = :is_suspect
  AND priority BETWEEN :least AND :greatest
  ORDER BY priority DESC, created_at, job_id
  LIMIT :look_ahead
) AS ahead
CROSS JOIN leasehold_job AS job ON job.id = ahead.job_id
WHERE ahead.kind IN (SELECT value FROM json_each(:kinds))
AND NOT EXISTS (
  SELECT 1
  FROM leasehold_queue
  WHERE name = :queue
  AND (paused_until > :now OR running_limit IS NOT NULL AND :gate IS NULL)
)
LIMIT :limit
