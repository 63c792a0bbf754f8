-- Which of these kinds have parked jobs in which of these queues? Index leasehold_parked_order.
SELECT known.value, wanted.value
FROM json_each(:kinds) AS known
CROSS JOIN json_each(:queues) AS wanted
WHERE EXISTS (
  SELECT 1
  FROM leasehold_parked
  WHERE kind = known.value
  AND queue = wanted.value
)
