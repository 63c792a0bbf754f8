-- Writes a lease for each job that claim_pick read and whose kind has leases of this length: the
-- same rows, since the write lock is held. Primary key of leasehold_ready.
INSERT INTO leasehold_lease
  (job_id, fence, worker, claimed_at, until, lease_seconds,
   attempt, failures, lapses, priority, tenant, batch, gate)
SELECT
  job_id, :fence, :worker, :now, :until, :lease_seconds,
  attempt + 1, failures, lapses, priority, tenant, batch, :gate
FROM (
  SELECT job_id, kind, attempt, failures, lapses, priority, tenant, batch
  FROM leasehold_ready
  WHERE queue = :queue
  AND is_suspect = :is_suspect
  AND priority BETWEEN :least AND :greatest
  ORDER BY priority DESC, created_at, job_id
  LIMIT :limit
)
WHERE kind IN (SELECT value FROM json_each(:kinds))
