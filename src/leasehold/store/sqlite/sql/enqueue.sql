-- Writes jobs, all or none; triggers make them claimable. Ids that stand already stay as they are.
-- What is not said is as the kind's task has it. Primary keys of leasehold_job and leasehold_task.
-- Jobs come by groups that differ in nothing but id and arguments: looking into the JSON for each
-- column of each job takes longer than writing it, and so does looking into all of a group's for each
-- of its columns: hence what is said and the jobs are two texts, the long one last. INSERT comes
-- first, before WITH: by that word Python's sqlite3 knows that a caller's transaction must begin here.
INSERT INTO leasehold_job
  (id, tenant, queue, kind, args, priority, max_attempts, timeout_seconds, lane, share, cost, batch,
   created_by, created_at, run_at, key, needs, on_end, trace)
WITH asked AS MATERIALIZED (
  SELECT value -> 0 AS said, value -> 1 AS jobs
  FROM json_each(:jobs)
),
alike AS MATERIALIZED (
  SELECT
    said ->> 0 AS tenant, coalesce(said ->> 1, task.queue, 'default') AS queue,
    said ->> 2 AS kind, coalesce(said ->> 3, task.priority, 0) AS priority,
    coalesce(said ->> 4, task.max_attempts, 5) AS max_attempts,
    coalesce(said ->> 5, task.timeout_seconds, 3600) AS timeout_seconds,
    -- with a share, also one made of the arguments, a job without a throttle has a lane, too
    CASE
      -- what is each tenant's own has the tenant in it: here, and nowhere else
      WHEN substr(coalesce(said ->> 6, policy.throttle), 1, 1) = '@'
        THEN substr(
            coalesce(said ->> 6, policy.throttle), 1,
            instr(coalesce(said ->> 6, policy.throttle) || ':', ':') - 1)
          || ':' || (said ->> 0) || char(30)
          || substr(
            coalesce(said ->> 6, policy.throttle),
            instr(coalesce(said ->> 6, policy.throttle) || ':', ':') + 1)
      ELSE coalesce(said ->> 6, policy.throttle,
        iif(coalesce(said ->> 7, policy.share_by) IS NULL, NULL, ''))
    END AS lane,
    coalesce(said ->> 7, iif(policy.share_by = '[]', said ->> 0, NULL)) AS share,
    coalesce(said ->> 8, policy.cost) AS cost,
    said ->> 9 AS batch, said ->> 10 AS created_by, said ->> 11 AS run_at, said ->> 12 AS own_key,
    said ->> 13 AS needs, said ->> 14 AS on_end, substr(said ->> 15, 1, 600) AS trace,
    iif(said ->> 6 IS NULL, policy.throttle_by, NULL) AS lane_by,
    iif(said ->> 7 IS NULL, nullif(policy.share_by, '[]'), NULL) AS share_by,
    jobs
  FROM asked
  LEFT JOIN leasehold_task AS task ON task.kind = said ->> 2
  -- who says no timeout says nothing of its lane either
  LEFT JOIN leasehold_task AS policy
    ON policy.kind = said ->> 2
    AND said ->> 5 IS NULL
)
SELECT
  given.key, tenant, queue, kind, given.value, priority, max_attempts, timeout_seconds,
  iif(lane_by IS NULL, lane, lane || iif(substr(lane, 1, 1) = '@', '', ':') || (
    SELECT group_concat(coalesce(
      iif(argument.type IN ('true', 'false'), argument.type, argument.atom), ''), ':')
    FROM json_each(lane_by) AS part
    LEFT JOIN json_each(given.value) AS argument ON argument.key = part.value
  )),
  iif(share_by IS NULL, share, (
    SELECT group_concat(coalesce(
      iif(argument.type IN ('true', 'false'), argument.type, argument.atom), ''), ':')
    FROM json_each(share_by) AS part
    LEFT JOIN json_each(given.value) AS argument ON argument.key = part.value
  )),
  cost, batch, created_by, :now, run_at, own_key, needs, on_end, trace
FROM alike
CROSS JOIN json_each(alike.jobs) AS given
WHERE true
ON CONFLICT (id) DO NOTHING
RETURNING id
