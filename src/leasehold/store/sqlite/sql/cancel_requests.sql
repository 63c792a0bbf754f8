-- Which of these leases should stop? Primary key.
SELECT lease.job_id
FROM json_each(:leases) AS held
CROSS JOIN leasehold_lease AS lease
  ON lease.job_id = held.value ->> 0
  AND lease.fence = held.value ->> 1
WHERE lease.cancel_requested
