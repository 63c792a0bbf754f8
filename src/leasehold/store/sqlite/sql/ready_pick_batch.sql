-- Reads a batch's ready jobs of one queue and of some kinds, in the order of the claim. Index
-- leasehold_ready_batch: no job of another batch is read. A paused queue gives nothing, nor does one with a limit without its gate.
SELECT
  ready.job_id, ready.kind, ready.queue, job.args, ready.attempt, ready.failures, ready.lapses,
  job.max_attempts, job.timeout_seconds, ready.tenant, ready.priority, ready.created_at,
  ready.batch, job.trace
FROM leasehold_ready AS ready
CROSS JOIN leasehold_job AS job ON job.id = ready.job_id
WHERE ready.batch = :batch
AND ready.is_suspect = :is_suspect
AND ready.priority >= :least
AND +ready.queue = :queue -- not by the primary key: it would read all jobs of the queue
AND ready.kind IN (SELECT value FROM json_each(:kinds))
AND NOT EXISTS (
  SELECT 1
  FROM leasehold_queue
  WHERE name = :queue
  AND (paused_until > :now OR running_limit IS NOT NULL AND :gate IS NULL)
)
ORDER BY ready.priority DESC, ready.created_at, ready.job_id
LIMIT :limit
