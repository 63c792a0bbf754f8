-- Is there anything to claim? Reads one row at most per queue. Primary key of leasehold_ready.
SELECT 1
FROM json_each(:queues) AS wanted
WHERE EXISTS (
  SELECT 1
  FROM leasehold_ready
  WHERE queue = wanted.value
  AND is_suspect = :is_suspect
)
LIMIT 1
