-- Removes what claim_lease has leased: the same rows, since the write lock is held. Primary key.
DELETE FROM leasehold_ready
WHERE (queue, is_suspect, priority, created_at, job_id) IN (
  SELECT queue, is_suspect, priority, created_at, job_id
  FROM leasehold_ready
  WHERE queue = :queue
  AND is_suspect = :is_suspect
  AND priority BETWEEN :least AND :greatest
  ORDER BY priority DESC, created_at, job_id
  LIMIT :limit
)
