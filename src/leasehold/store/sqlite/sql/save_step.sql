-- Remembers a step of a running job; the first memory of it stays. Primary keys.
-- Fenced: a worker whose lease was taken back finds none, and so remembers nothing.
INSERT INTO leasehold_step AS step (job_id, name, tenant, done_at, result)
SELECT lease.job_id, :step, lease.tenant, :now, :result
FROM leasehold_lease AS lease
WHERE lease.job_id = :id
AND lease.fence = :fence
AND lease.worker = :worker
ON CONFLICT (job_id, name) DO UPDATE
SET result = step.result -- changes nothing, but returns the row: the lease stands
RETURNING job_id
