-- Forgets what somebody said about keeping jobs: primary key. What a task keeps stands until a worker
-- declares it again, so that nothing is lost in between.
WITH undone AS (
  UPDATE leasehold.retention
  SET set_by = NULL
  WHERE scope = %(scope)s
    AND name = %(name)s
    AND scope = 'task'
    AND set_by IS NOT NULL
  RETURNING name
),
forgotten AS (
  DELETE FROM leasehold.retention
  WHERE scope = %(scope)s
    AND name = %(name)s
    AND scope <> 'task'
  RETURNING name
)
SELECT name FROM undone
UNION ALL
SELECT name FROM forgotten
