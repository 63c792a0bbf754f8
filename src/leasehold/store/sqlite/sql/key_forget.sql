-- Forgets what is remembered of a key. Primary key.
DELETE FROM leasehold_key
WHERE tenant = :tenant
AND key = :key
