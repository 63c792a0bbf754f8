-- Says how long jobs are kept, in place of what was said there. Primary key.
INSERT INTO leasehold_retention
  (scope, name, succeeded_seconds, dead_seconds, cancelled_seconds, set_by, updated_at)
VALUES (:scope, :name, :succeeded, :dead, :cancelled, :by, :now)
ON CONFLICT (scope, name) DO UPDATE
SET succeeded_seconds = excluded.succeeded_seconds, dead_seconds = excluded.dead_seconds,
    cancelled_seconds = excluded.cancelled_seconds, set_by = excluded.set_by,
    updated_at = excluded.updated_at
