-- Lists a queue's priorities in use by skipping from one to the next, with the creation of the first
-- job of each. Primary key of leasehold_ready.
WITH RECURSIVE level (priority) AS (
  SELECT max(priority) FROM leasehold_ready WHERE queue = :queue AND is_suspect = :is_suspect
  UNION ALL
  SELECT (
    SELECT max(priority)
    FROM leasehold_ready
    WHERE queue = :queue
    AND is_suspect = :is_suspect
    AND priority < level.priority
  )
  FROM level
  WHERE level.priority IS NOT NULL
)
SELECT priority, (
  SELECT created_at
  FROM leasehold_ready
  WHERE queue = :queue
  AND is_suspect = :is_suspect
  AND priority = level.priority
  ORDER BY created_at
  LIMIT 1
)
FROM level
WHERE priority IS NOT NULL
