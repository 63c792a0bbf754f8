-- Writes down how long a worker's tasks want their jobs kept, but for what somebody has set at run time.
-- Primary key.
INSERT INTO leasehold_retention
  (scope, name, succeeded_seconds, dead_seconds, cancelled_seconds, updated_at)
SELECT
  'task', value ->> 'kind', value ->> 'keep_seconds', value ->> 'keep_dead_seconds',
  value ->> 'keep_cancelled_seconds', :now
FROM json_each(:tasks)
WHERE coalesce(value ->> 'keep_seconds', value ->> 'keep_dead_seconds',
  value ->> 'keep_cancelled_seconds') IS NOT NULL
ON CONFLICT (scope, name) DO UPDATE
SET succeeded_seconds = excluded.succeeded_seconds, dead_seconds = excluded.dead_seconds,
    cancelled_seconds = excluded.cancelled_seconds, updated_at = excluded.updated_at
WHERE set_by IS NULL
