-- Says how many of a tenant's jobs may run at once, and how many do, if it has such a quota: primary key,
-- leasehold_lease_tenant.
SELECT running, (SELECT count(*) FROM leasehold_lease WHERE tenant = :tenant AND tenant <> '')
FROM leasehold_quota
WHERE tenant = :tenant
AND running IS NOT NULL
