-- Does any job wait for others? Reads one row at most.
SELECT 1
FROM leasehold_dependent
LIMIT 1
