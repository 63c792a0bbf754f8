-- Lets a schedule fire no more: primary key.
UPDATE leasehold.schedule
SET paused_at = clock_timestamp() + %(skew)s,
  paused_by = %(by)s
WHERE tenant = %(tenant)s
  AND name = %(name)s
  AND paused_at IS NULL
RETURNING true
