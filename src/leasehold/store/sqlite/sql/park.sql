-- Parks what stands at the head of a queue and is of no known kind. Primary key of leasehold_ready.
INSERT INTO leasehold_parked
  (job_id, queue, priority, created_at, attempt, failures, lapses, kind, tenant, batch)
SELECT
  job_id, queue, priority, created_at, attempt, failures, lapses, kind, tenant, batch
FROM (
  SELECT *
  FROM leasehold_ready
  WHERE queue = :queue
  AND is_suspect = :is_suspect
  AND priority BETWEEN :least AND :greatest
  ORDER BY priority DESC, created_at, job_id
  LIMIT :limit
)
WHERE kind NOT IN (SELECT value FROM json_each(:kinds))
RETURNING job_id
