-- Gives a queue its limit, or none. Primary key.
INSERT INTO leasehold_queue (name, running_limit, limited_by, updated_at)
VALUES (:name, :running, :by, :now)
ON CONFLICT (name) DO UPDATE
SET running_limit = excluded.running_limit, limited_by = excluded.limited_by,
    updated_at = excluded.updated_at
