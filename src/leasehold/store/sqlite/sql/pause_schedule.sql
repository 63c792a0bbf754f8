-- Lets a schedule fire no more. Primary key.
UPDATE leasehold_schedule
SET paused_at = :now, paused_by = :by
WHERE tenant = :tenant
AND name = :name
AND paused_at IS NULL
