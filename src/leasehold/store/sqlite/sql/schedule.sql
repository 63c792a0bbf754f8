-- Reads one schedule. Primary key.
SELECT name, rule, job, tenant, zone, dst, missed, missed_cap, jitter_seconds, created_at, updated_at,
  next_at, last_slot, last_fired_at, last_job, paused_at, paused_by, set_by, version
FROM leasehold_schedule
WHERE tenant = :tenant
AND name = :name
