-- Says how many of a queue's jobs may run at once, and how many do, if it has a limit: primary key,
-- leasehold_lease_gate.
SELECT running_limit, (SELECT count(*) FROM leasehold_lease WHERE gate = :queue)
FROM leasehold_queue
WHERE name = :queue
AND running_limit IS NOT NULL
