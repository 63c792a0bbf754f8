-- In which stages of these queues do jobs wait in lanes? Reads one row at most of each.
-- Index leasehold_waiting_place; a queue that is paused or full gives nothing.
SELECT stage.value
FROM json_each(:queues) AS wanted
CROSS JOIN json_each(:stages) AS stage
WHERE EXISTS (
  SELECT 1
  FROM leasehold_waiting
  WHERE place >= wanted.value || char(31) || stage.value || char(31)
  AND place < wanted.value || char(31) || stage.value || ' '
)
AND NOT EXISTS (
  SELECT 1
  FROM leasehold_queue
  WHERE name = wanted.value
  AND (paused_until > :now
    OR running_limit <= (SELECT count(*) FROM leasehold_lease WHERE gate = name))
)
