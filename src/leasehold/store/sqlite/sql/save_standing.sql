-- Whether a lease stands, for one that has nothing to save. Primary key.
SELECT lease.job_id
FROM leasehold_lease AS lease
WHERE lease.job_id = :id
AND lease.fence = :fence
AND lease.worker = :worker
