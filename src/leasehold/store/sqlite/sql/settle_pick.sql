-- Reads the leases that stand as named. Primary key.
-- Fenced: a lease of another claim or worker is not found, and so can't be settled.
SELECT
  held.key, lease.worker, lease.attempt, lease.failures, lease.lapses, lease.tenant,
  lease.cancel_requested, lease.cancelled_by
FROM json_each(:leases) AS held
CROSS JOIN leasehold_lease AS lease
  ON lease.job_id = held.value ->> 0
  AND lease.fence = held.value ->> 1
WHERE lease.worker = :worker
