-- Lists the schedules of a tenant, or of all: reads them all, there are few.
SELECT name, rule, job::text, tenant, zone, dst, missed, missed_cap, jitter_seconds,
  created_at AT TIME ZONE 'UTC', updated_at AT TIME ZONE 'UTC', next_at AT TIME ZONE 'UTC',
  last_slot AT TIME ZONE 'UTC', last_fired_at AT TIME ZONE 'UTC', last_job, paused_at AT TIME ZONE 'UTC',
  paused_by, set_by, version
FROM leasehold.schedule
WHERE %(tenant)s::text IS NULL
   OR tenant = %(tenant)s::text
ORDER BY tenant, name
