-- Says how many more jobs of a queue may start; nothing when it has no limit. Primary key,
-- leasehold_lease_gate.
SELECT running_limit - (SELECT count(*) FROM leasehold_lease WHERE gate = :queue)
FROM leasehold_queue
WHERE name = :queue
AND running_limit IS NOT NULL
