-- Lists tenants with quotas, and how far they are used up: reads that small table and the one of
-- leases; ready_tenant and the like, up to a million of each.
SELECT quota.tenant, quota.waiting, quota.running, quota.rate, quota.burst,
  leasehold.count_waiting(quota.tenant, 1000000),
  (SELECT count(*) FROM leasehold.lease WHERE lease.tenant = quota.tenant),
  quota.burst - greatest(0,
    quota.rate * coalesce(extract(epoch FROM quota.full_at - (%(skew)s + now())), 0)),
  quota.set_by
FROM leasehold.quota
ORDER BY quota.tenant
