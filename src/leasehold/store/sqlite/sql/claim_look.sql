-- Is there anything to claim? Reads one row at most per queue. Primary keys of leasehold_ready and
-- leasehold_queue, leasehold_lease_gate: a queue that is paused or full gives nothing.
SELECT 1
FROM json_each(:wants) AS wanted
WHERE EXISTS (
  SELECT 1
  FROM leasehold_ready
  WHERE queue = wanted.value ->> 0
  AND is_suspect = :is_suspect
  AND priority >= wanted.value ->> 1
)
AND NOT EXISTS (
  SELECT 1
  FROM leasehold_queue
  WHERE name = wanted.value ->> 0
  AND (paused_until > :now
    OR running_limit IS NOT NULL AND NOT wanted.value ->> 2
    OR running_limit <= (SELECT count(*) FROM leasehold_lease WHERE gate = name))
)
LIMIT 1
