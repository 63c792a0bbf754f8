-- Lists rows of the audit record, the newest first: primary key.
SELECT id, at, actor, via, address, tenant, action, subject, count, detail
FROM leasehold_audit
WHERE id < :before
  AND (:actor IS NULL OR actor = :actor)
  AND (:action IS NULL OR action = :action)
  AND (:since IS NULL OR at >= :since)
ORDER BY id DESC
LIMIT :limit
