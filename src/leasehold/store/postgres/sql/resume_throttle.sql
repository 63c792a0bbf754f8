-- Ends a pause that stands: primary key.
UPDATE leasehold.throttle
SET paused_until = NULL,
  pause_reason = NULL,
  paused_by = NULL,
  updated_at = %(skew)s + now()
WHERE name = %(name)s
  AND tenant = %(tenant)s
  AND paused_until > %(skew)s + now()
RETURNING name
