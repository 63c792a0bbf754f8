-- Ends a pause that stands. Primary key.
UPDATE leasehold_throttle
SET paused_until = NULL, pause_reason = NULL, paused_by = NULL, updated_at = :now
WHERE name = :name
AND tenant = :tenant
AND paused_until > :now
