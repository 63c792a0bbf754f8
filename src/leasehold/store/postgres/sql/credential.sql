-- Reads an encrypted value: primary key.
SELECT value
FROM leasehold.credential
WHERE tenant = %(tenant)s
  AND name = %(name)s
