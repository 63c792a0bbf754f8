-- Lists what is kept (few: a scan), of one tenant or of all; of the values only what says the key.
SELECT name, tenant, substr(value, 1, 72), set_by, updated_at
FROM leasehold_credential
WHERE :tenant IS NULL OR tenant = :tenant
ORDER BY tenant, name
