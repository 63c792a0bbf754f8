-- Lets a paused schedule fire again, from another slot on, if it is as it was seen: primary key.
UPDATE leasehold.schedule
SET paused_at = NULL,
  paused_by = NULL,
  next_at = %(next_at)s::timestamptz
WHERE tenant = %(tenant)s
  AND name = %(name)s
  AND version = %(version)s
  AND next_at IS NOT DISTINCT FROM %(seen_next_at)s::timestamptz
  AND paused_at IS NOT NULL
RETURNING true
