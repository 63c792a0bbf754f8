-- Deletes a schedule; its jobs stay: primary key.
DELETE FROM leasehold.schedule
WHERE tenant = %(tenant)s
  AND name = %(name)s
RETURNING true
