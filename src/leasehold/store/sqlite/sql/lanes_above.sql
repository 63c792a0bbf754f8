-- Says of levels (the part of a place up to its priority) whether something of a higher priority waits in
-- their queue. Index leasehold_waiting_place.
SELECT level.value ->> 1
FROM json_each(:levels) AS level
WHERE EXISTS (
  SELECT 1
  FROM leasehold_waiting
  WHERE place >= level.value ->> 0
  AND place < level.value ->> 1
)
