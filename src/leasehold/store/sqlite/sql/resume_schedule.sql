-- Lets a paused schedule fire again, from another slot on, if it is as it was seen. Primary key.
UPDATE leasehold_schedule
SET paused_at = NULL, paused_by = NULL, next_at = :next_at
WHERE tenant = :tenant
AND name = :name
AND version = :version
AND next_at IS :seen_next_at
AND paused_at IS NOT NULL
