-- The one that waited behind was cancelled or deleted. Primary key.
UPDATE leasehold_key
SET next = NULL, is_urgent = 0
WHERE tenant = :tenant
AND key = :key
