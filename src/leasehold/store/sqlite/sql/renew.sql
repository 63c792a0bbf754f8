-- Extends leases, never beyond their deadline: a lease after the handler's timeout. Primary keys.
-- Fenced: only the worker whose claim this is may renew it.
UPDATE leasehold_lease
SET until = min(
  :now + CAST(held.value ->> 2 * 1000000 AS INTEGER),
  claimed_at + CAST(1000000 * (lease_seconds + (
    SELECT job.timeout_seconds FROM leasehold_job AS job WHERE job.id = leasehold_lease.job_id
  )) AS INTEGER)
)
FROM json_each(:leases) AS held
WHERE leasehold_lease.job_id = held.value ->> 0
AND leasehold_lease.fence = held.value ->> 1
AND leasehold_lease.worker = :worker
RETURNING job_id, cancel_requested
