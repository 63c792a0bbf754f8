-- Says how long attempts of these kinds take, where that is known. Primary key.
SELECT kind, typical_seconds
FROM leasehold_task
WHERE kind IN (SELECT value FROM json_each(:kinds))
AND typical_seconds IS NOT NULL
