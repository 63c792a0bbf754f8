-- Moves a schedule on if it is still as it was seen: who does so makes the slot's jobs, nobody else.
-- Primary key.
UPDATE leasehold_schedule
SET
  next_at = :following,
  last_slot = coalesce(:slot, last_slot),
  last_fired_at = iif(:has_jobs, :now, last_fired_at)
WHERE tenant = :tenant
AND name = :name
AND version = :version
AND next_at IS :next_at
AND (paused_at IS NULL OR :is_by_hand)
