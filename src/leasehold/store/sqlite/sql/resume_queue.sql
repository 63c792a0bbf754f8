-- Ends a pause that stands. Primary key.
UPDATE leasehold_queue
SET paused_until = NULL, pause_reason = NULL, paused_by = NULL, updated_at = :now
WHERE name = :name
AND paused_until > :now
