-- Takes the write lock, and reads the quotas that an enqueue of these tenants must keep to. Primary key.
UPDATE leasehold_quota
SET spare = spare
WHERE tenant IN (SELECT value FROM json_each(:tenants))
AND (waiting IS NOT NULL OR rate IS NOT NULL)
RETURNING tenant, waiting, rate, burst, spare, full_at
