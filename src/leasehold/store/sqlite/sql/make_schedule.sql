-- Writes a new schedule, unless one of its name is there. Primary key.
INSERT INTO leasehold_schedule
  (tenant, name, rule, zone, dst, missed, missed_cap, jitter_seconds, job, created_at, updated_at,
   next_at, set_by)
VALUES
  (:tenant, :name, :rule, :zone, :dst, :missed, :missed_cap, :jitter_seconds, :job, :now, :now,
   :next_at, :set_by)
ON CONFLICT (tenant, name) DO NOTHING
