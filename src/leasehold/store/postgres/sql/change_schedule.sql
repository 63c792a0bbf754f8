-- Changes a schedule that is as it was seen; a paused one stays paused: primary key.
UPDATE leasehold.schedule
SET rule = %(rule)s,
  zone = %(zone)s,
  dst = %(dst)s,
  missed = %(missed)s,
  missed_cap = %(missed_cap)s,
  jitter_seconds = %(jitter_seconds)s,
  job = %(job)s::json,
  updated_at = clock_timestamp() + %(skew)s,
  next_at = %(next_at)s::timestamptz,
  set_by = %(set_by)s,
  version = version + 1
WHERE tenant = %(tenant)s
  AND name = %(name)s
  AND version = %(version)s
  AND next_at IS NOT DISTINCT FROM %(seen_next_at)s::timestamptz
RETURNING true
