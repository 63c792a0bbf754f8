-- Changes a schedule that is as it was seen; a paused one stays paused. Primary key.
UPDATE leasehold_schedule
SET
  rule = :rule, zone = :zone, dst = :dst, missed = :missed, missed_cap = :missed_cap,
  jitter_seconds = :jitter_seconds, job = :job, updated_at = :now, next_at = :next_at,
  set_by = :set_by, version = version + 1
WHERE tenant = :tenant
AND name = :name
AND version = :version
AND next_at IS :seen_next_at
