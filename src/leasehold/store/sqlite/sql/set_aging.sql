-- Gives a queue its aging, or none. Primary key.
INSERT INTO leasehold_queue (name, aging_seconds, updated_at)
VALUES (:name, :aging_seconds, :now)
ON CONFLICT (name) DO UPDATE
SET aging_seconds = excluded.aging_seconds, updated_at = excluded.updated_at
