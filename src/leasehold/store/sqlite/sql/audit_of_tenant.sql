-- Lists rows of the audit record that are a tenant's, the newest first: the index on tenants.
SELECT id, at, actor, via, address, tenant, action, subject, count, detail
FROM leasehold_audit
WHERE id < :before
  AND tenant = :tenant
  AND (:actor IS NULL OR actor = :actor)
  AND (:action IS NULL OR action = :action)
  AND (:since IS NULL OR at >= :since)
ORDER BY id DESC
LIMIT :limit
