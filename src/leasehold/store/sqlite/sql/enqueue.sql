-- Writes jobs, all or none; triggers make them claimable. Ids that stand already stay as they are.
-- What is not said is as the kind's task has it. Primary keys of leasehold_job and leasehold_task.
-- Jobs come by groups that differ in nothing but id and arguments: looking into the JSON for each
-- column of each job takes longer than writing it. INSERT comes first, before WITH: by that word
-- Python's sqlite3 knows that a caller's transaction must begin here.
INSERT INTO leasehold_job
  (id, tenant, queue, kind, args, priority, max_attempts, timeout_seconds, lane, batch, created_by,
   created_at, run_at)
WITH alike AS MATERIALIZED (
  SELECT
    value ->> 0 AS tenant, coalesce(value ->> 1, task.queue, 'default') AS queue,
    value ->> 2 AS kind, coalesce(value ->> 3, task.priority, 0) AS priority,
    coalesce(value ->> 4, task.max_attempts, 5) AS max_attempts,
    coalesce(value ->> 5, task.timeout_seconds, 3600) AS timeout_seconds,
    value ->> 6 AS lane, value ->> 7 AS batch, value ->> 8 AS created_by, value ->> 9 AS run_at,
    value -> 10 AS jobs
  FROM json_each(:groups)
  LEFT JOIN leasehold_task AS task ON task.kind = value ->> 2
)
SELECT
  asked.key, tenant, queue, kind, asked.value, priority, max_attempts, timeout_seconds, lane, batch,
  created_by, :now, run_at
FROM alike
CROSS JOIN json_each(alike.jobs) AS asked
WHERE true
ON CONFLICT (id) DO NOTHING
RETURNING id
