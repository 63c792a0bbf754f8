-- Writes jobs, all or none; triggers make them claimable. Ids that stand already stay as they are.
-- What is not said is as the kind's task has it. Primary keys of leasehold_job and leasehold_task.
INSERT INTO leasehold_job
  (id, tenant, queue, kind, args, priority, max_attempts, timeout_seconds, lane, batch, created_by,
   created_at, run_at)
SELECT
  value ->> 0, value ->> 1, coalesce(value ->> 2, task.queue, 'default'), value ->> 3, value -> 4,
  coalesce(value ->> 5, task.priority, 0), coalesce(value ->> 6, task.max_attempts, 5),
  coalesce(value ->> 7, task.timeout_seconds, 3600), value ->> 8, value ->> 9, value ->> 10,
  :now, value ->> 11
FROM json_each(:jobs)
LEFT JOIN leasehold_task AS task ON task.kind = value ->> 3
WHERE true
ON CONFLICT (id) DO NOTHING
RETURNING id
