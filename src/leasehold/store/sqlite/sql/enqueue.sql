-- Writes jobs, all or none; triggers make them claimable. Ids that stand already stay as they are.
-- Primary key of leasehold_job.
INSERT INTO leasehold_job
  (id, tenant, queue, kind, args, priority, max_attempts, timeout_seconds, lane, batch, created_by,
   created_at, run_at)
SELECT
  value ->> 0, value ->> 1, value ->> 2, value ->> 3, value -> 4, value ->> 5, value ->> 6,
  value ->> 7, value ->> 8, value ->> 9, value ->> 10,
  :now, value ->> 11
FROM json_each(:jobs)
WHERE true
ON CONFLICT (id) DO NOTHING
RETURNING id
