-- Which of these tenants may run no more than so many, and what does that leave? Primary key,
-- leasehold_lease_tenant.
SELECT
  tenant,
  max(0, running - (
    SELECT count(*)
    FROM leasehold_lease AS lease
    WHERE lease.tenant = leasehold_quota.tenant
    AND lease.tenant <> ''
  ))
FROM leasehold_quota
WHERE tenant IN (SELECT value FROM json_each(:tenants))
AND running IS NOT NULL
