-- Forgets what tasks declared that say nothing about keeping their jobs any more. Primary key.
DELETE FROM leasehold_retention
WHERE scope = 'task'
AND set_by IS NULL
AND name IN (
  SELECT value ->> 'kind'
  FROM json_each(:tasks)
  WHERE coalesce(value ->> 'keep_seconds', value ->> 'keep_dead_seconds',
    value ->> 'keep_cancelled_seconds') IS NULL
)
