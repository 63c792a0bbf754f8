-- Deletes a schedule; its jobs stay. Primary key.
DELETE FROM leasehold_schedule
WHERE tenant = :tenant
AND name = :name
