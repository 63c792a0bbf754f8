-- Reads an encrypted value: primary key.
SELECT value
FROM leasehold_credential
WHERE tenant = :tenant
  AND name = :name
