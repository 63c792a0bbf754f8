-- Takes a tenant's quotas away. Primary key.
DELETE FROM leasehold_quota
WHERE tenant = :tenant
