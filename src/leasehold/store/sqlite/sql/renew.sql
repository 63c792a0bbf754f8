-- Extends leases, never beyond their deadline. Primary key.
-- Fenced: only the worker whose claim this is may renew it.
UPDATE leasehold_lease
SET until = min(:now + CAST(held.value ->> 2 * 1000000 AS INTEGER), deadline)
FROM json_each(:leases) AS held
WHERE leasehold_lease.job_id = held.value ->> 0
AND leasehold_lease.fence = held.value ->> 1
AND leasehold_lease.worker = :worker
RETURNING job_id, cancel_requested
