-- Reads the head of a queue in the order of the claim. Primary key of leasehold_ready: no sort.
-- A paused queue gives nothing, nor does one with a limit without its gate: looked up once, by its
-- primary key.
-- One value: rows would hand Python's lock to and fro between the worker's threads, one by one.
SELECT json_group_array(json_array(
  job_id, kind, queue, args, attempt, failures, lapses, max_attempts, timeout_seconds, tenant,
  priority, batch, trace
))
FROM (
  SELECT
    ready.job_id, ready.kind, ready.queue, job.args, ready.attempt, ready.failures, ready.lapses,
    job.max_attempts, job.timeout_seconds, ready.tenant, ready.priority, ready.batch,
    job.trace
  FROM leasehold_ready AS ready
  CROSS JOIN leasehold_job AS job ON job.id = ready.job_id
  WHERE ready.queue = :queue
  AND ready.is_suspect = :is_suspect
  AND ready.priority BETWEEN :least AND :greatest
  AND NOT EXISTS (
    SELECT 1
    FROM leasehold_queue
    WHERE name = :queue
    AND (paused_until > :now OR running_limit IS NOT NULL AND :gate IS NULL)
  )
  ORDER BY ready.priority DESC, ready.created_at, ready.job_id
  LIMIT :limit
)
