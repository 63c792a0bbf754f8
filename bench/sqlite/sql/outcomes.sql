-- Counts ended attempts by how they ended.
SELECT state, count(*)
FROM leasehold_outcome
GROUP BY state
