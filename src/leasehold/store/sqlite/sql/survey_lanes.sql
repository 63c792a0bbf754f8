-- Do jobs wait in lanes of these queues? Reads one row at most of each queue.
-- Index leasehold_waiting_place; a queue that is paused or full gives nothing.
SELECT 1
FROM json_each(:queues) AS wanted
WHERE EXISTS (
  SELECT 1
  FROM leasehold_waiting
  WHERE place >= wanted.value || char(31)
  AND place < wanted.value || char(31) || '#'
  UNION ALL -- any stage but '#': those wait for another job, not for their lane
  SELECT 1
  FROM leasehold_waiting
  WHERE place >= wanted.value || char(31) || '$'
  AND place < wanted.value || ' '
)
AND NOT EXISTS (
  SELECT 1
  FROM leasehold_queue
  WHERE name = wanted.value
  AND (paused_until > :now
    OR running_limit <= (SELECT count(*) FROM leasehold_lease WHERE gate = name))
)
LIMIT 1
