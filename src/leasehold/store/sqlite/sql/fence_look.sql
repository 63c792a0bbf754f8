-- Reads the greatest number that a lease has had.
SELECT last
FROM leasehold_fence
