-- Lets jobs that were just written wait behind the one that runs under their key: no claim asks for
-- this stage. Primary keys.
INSERT INTO leasehold_waiting
  (job_id, queue, stage, priority, created_at, kind, tenant, batch)
SELECT id, queue, '#', priority, created_at, kind, tenant, batch
FROM leasehold_job
WHERE id IN (SELECT value FROM json_each(:ids))
ON CONFLICT (job_id) DO UPDATE
SET stage = '#'
