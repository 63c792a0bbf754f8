-- Lists what is kept (few: a scan), of one tenant or of all, with the key that encrypted it; no values.
SELECT name, tenant, substring(value FROM '^\$enc:([A-Za-z0-9._-]+):'), set_by, updated_at
FROM leasehold.credential
WHERE %(tenant)s::text IS NULL OR tenant = %(tenant)s::text
ORDER BY tenant, name
