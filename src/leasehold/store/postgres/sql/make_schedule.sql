-- Writes a new schedule, unless one of its name is there: primary key.
INSERT INTO leasehold.schedule (tenant, name, rule, zone, dst, missed, missed_cap, jitter_seconds, job,
  created_at, updated_at, next_at, set_by)
SELECT %(tenant)s, %(name)s, %(rule)s, %(zone)s, %(dst)s, %(missed)s, %(missed_cap)s, %(jitter_seconds)s,
  %(job)s::json, moment, moment, %(next_at)s::timestamptz, %(set_by)s
FROM (SELECT clock_timestamp() + %(skew)s AS moment OFFSET 0) AS clock
ON CONFLICT (tenant, name) DO NOTHING
RETURNING true
