-- Which of these leases stand as named, and are they to be cancelled? Primary key.
SELECT lease.job_id, lease.cancel_requested
FROM json_each(:settlements) AS said
CROSS JOIN leasehold_lease AS lease
  ON lease.job_id = said.key
  AND lease.fence = said.value ->> 'fence'
WHERE lease.worker = :worker
