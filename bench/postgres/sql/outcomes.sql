-- Counts ended attempts by how they ended.
SELECT state::text, count(*)
FROM leasehold.outcome
GROUP BY state
