-- Writes a lease for each parked job that was picked. Primary key of leasehold_parked.
INSERT INTO leasehold_lease
  (job_id, fence, worker, claimed_at, until, lease_seconds,
   attempt, failures, lapses, priority, tenant, lane)
SELECT
  parked.job_id, :fence, :worker, :now,
  :now + CAST(known.value * 1000000 AS INTEGER),
  known.value,
  parked.attempt + 1, parked.failures, parked.lapses, parked.priority, parked.tenant, parked.lane
FROM json_each(:ids) AS picked
CROSS JOIN leasehold_parked AS parked ON parked.job_id = picked.value
CROSS JOIN json_each(:leases) AS known ON known.key = parked.kind
