-- Reads a batch's parked jobs of one queue and of some kinds. Index leasehold_parked_batch; sorts what
-- it finds in the order of the claim. A paused queue gives nothing, nor does one with a limit without its gate.
SELECT
  parked.job_id, parked.kind, parked.queue, job.args, parked.attempt, parked.failures,
  parked.lapses, job.max_attempts, job.timeout_seconds, parked.tenant, parked.priority,
  parked.created_at, parked.batch, job.trace
FROM leasehold_parked AS parked
CROSS JOIN leasehold_job AS job ON job.id = parked.job_id
WHERE parked.batch = :batch
AND +parked.queue = :queue
AND +parked.kind IN (SELECT value FROM json_each(:kinds))
AND NOT EXISTS (
  SELECT 1
  FROM leasehold_queue
  WHERE name = :queue
  AND (paused_until > :now OR running_limit IS NOT NULL AND :gate IS NULL)
)
AND (parked.lapses > 0) = :is_suspect
ORDER BY parked.priority DESC, parked.created_at, parked.job_id
LIMIT :limit
