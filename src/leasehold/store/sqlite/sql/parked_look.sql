-- Which of these kinds have parked jobs in which of these queues? Index leasehold_parked_order.
-- A queue that is paused or full gives nothing.
SELECT known.value, wanted.value
FROM json_each(:kinds) AS known
CROSS JOIN json_each(:queues) AS wanted
WHERE EXISTS (
  SELECT 1
  FROM leasehold_parked
  WHERE kind = known.value
  AND queue = wanted.value
)
AND NOT EXISTS (
  SELECT 1
  FROM leasehold_queue
  WHERE name = wanted.value
  AND (paused_until > :now
    OR running_limit <= (SELECT count(*) FROM leasehold_lease WHERE gate = name))
)
