-- Deletes one: primary key.
DELETE FROM leasehold.credential
WHERE tenant = %(tenant)s
  AND name = %(name)s
RETURNING true
