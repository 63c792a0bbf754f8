-- Writes a lease for each parked job that was picked and whose kind has leases of this length.
-- Primary key of leasehold_parked.
INSERT INTO leasehold_lease
  (job_id, fence, worker, claimed_at, until, lease_seconds,
   attempt, failures, lapses, priority, tenant, batch, gate)
SELECT
  parked.job_id, :fence, :worker, :now, :until, :lease_seconds,
  parked.attempt + 1, parked.failures, parked.lapses, parked.priority, parked.tenant,
  parked.batch,
  iif(parked.queue IN (SELECT value FROM json_each(:gates)), parked.queue, NULL)
FROM json_each(:ids) AS picked
CROSS JOIN leasehold_parked AS parked ON parked.job_id = picked.value
WHERE parked.kind IN (SELECT value FROM json_each(:kinds))
