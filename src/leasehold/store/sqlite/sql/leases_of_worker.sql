-- Reads the leases in a worker's name. Scans the leases: asked only after an answer was lost.
SELECT job_id, fence
FROM leasehold_lease
WHERE worker = :worker
