-- Lists tenants with quotas, and how many jobs of each run. Scans that small table; the index by tenant.
SELECT
  tenant, waiting, running, rate, burst,
  (
    SELECT count(*)
    FROM leasehold_lease AS lease
    WHERE lease.tenant = leasehold_quota.tenant
    AND lease.tenant <> ''
  ),
  full_at, set_by
FROM leasehold_quota
ORDER BY tenant
