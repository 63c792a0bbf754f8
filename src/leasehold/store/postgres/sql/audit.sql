-- Lists rows of the audit record, the newest first: primary key.
SELECT id, at, actor, via, address, tenant, action, subject, count, detail
FROM leasehold.audit
WHERE id < %(before)s
  AND (%(actor)s::text IS NULL OR actor = %(actor)s)
  AND (%(action)s::text IS NULL OR action = %(action)s)
  AND (%(since)s::timestamptz IS NULL OR at >= %(since)s)
ORDER BY id DESC
LIMIT %(limit)s
