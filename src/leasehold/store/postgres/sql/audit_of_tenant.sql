-- Lists rows of the audit record that are a tenant's, the newest first: the index on tenants.
SELECT id, at, actor, via, address, tenant, action, subject, count, detail
FROM leasehold.audit
WHERE id < %(before)s
  AND tenant = %(tenant)s
  AND (%(actor)s::text IS NULL OR actor = %(actor)s)
  AND (%(action)s::text IS NULL OR action = %(action)s)
  AND (%(since)s::timestamptz IS NULL OR at >= %(since)s)
ORDER BY id DESC
LIMIT %(limit)s
