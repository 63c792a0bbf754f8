-- Writes a lease for each job that claim_pick read: the same rows, since the write lock is held.
-- Primary key of leasehold_ready. CROSS JOIN keeps that order; `leases` names the few kinds picked.
INSERT INTO leasehold_lease
  (job_id, fence, worker, claimed_at, until, lease_seconds,
   attempt, failures, lapses, priority, tenant, lane)
SELECT
  ready.job_id, :fence, :worker, :now,
  :now + CAST(known.value * 1000000 AS INTEGER),
  known.value,
  ready.attempt + 1, ready.failures, ready.lapses, ready.priority, ready.tenant, ready.lane
FROM leasehold_ready AS ready
CROSS JOIN json_each(:leases) AS known ON known.key = ready.kind
WHERE ready.queue = :queue
AND ready.is_suspect = :is_suspect
ORDER BY ready.priority DESC, ready.created_at, ready.job_id
LIMIT :limit
