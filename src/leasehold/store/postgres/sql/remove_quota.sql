-- Takes a tenant's quotas away: primary key.
DELETE FROM leasehold.quota
WHERE tenant = %(tenant)s
RETURNING tenant
