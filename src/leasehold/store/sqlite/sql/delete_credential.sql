-- Deletes one: primary key.
DELETE FROM leasehold_credential
WHERE tenant = :tenant
  AND name = :name
