-- Reads the weights of shares; 1 for all others. Primary key.
SELECT name, weight
FROM leasehold_share
WHERE name IN (SELECT value FROM json_each(:names))
