-- Does any job wait behind another one of its key? Index leasehold_key_next.
SELECT 1
FROM leasehold_key
WHERE next IS NOT NULL
LIMIT 1
