-- Writes down how long a worker's tasks want their jobs kept, but for what somebody has set at run time;
-- those that say nothing any more are forgotten. Primary key; in one order, so that two workers can't
-- deadlock.
WITH declared AS MATERIALIZED (
  SELECT kind, keep_seconds, keep_dead_seconds, keep_cancelled_seconds,
    coalesce(keep_seconds, keep_dead_seconds, keep_cancelled_seconds) IS NULL AS says_nothing
  FROM jsonb_to_recordset(%(tasks)s::jsonb) AS task (kind text, keep_seconds double precision,
    keep_dead_seconds double precision, keep_cancelled_seconds double precision)
),
forgotten AS (
  DELETE FROM leasehold.retention
  WHERE scope = 'task'
    AND name = ANY (ARRAY (SELECT kind FROM declared WHERE says_nothing))
    AND set_by IS NULL
)
INSERT INTO leasehold.retention AS retention
  (scope, name, succeeded_seconds, dead_seconds, cancelled_seconds, updated_at)
SELECT 'task', kind, keep_seconds, keep_dead_seconds, keep_cancelled_seconds, %(skew)s + now()
FROM declared
WHERE NOT says_nothing
ORDER BY kind
ON CONFLICT (scope, name) DO UPDATE
SET succeeded_seconds = excluded.succeeded_seconds,
  dead_seconds = excluded.dead_seconds,
  cancelled_seconds = excluded.cancelled_seconds,
  updated_at = excluded.updated_at
WHERE retention.set_by IS NULL
