-- Lists all leases. Reads the small lease table.
SELECT job_id, fence, worker
FROM leasehold_lease
