-- Writes down when a key's bucket will be full again. Primary key.
INSERT INTO leasehold_bucket (lane, full_at)
VALUES (:lane, :full_at)
ON CONFLICT (lane) DO UPDATE
SET full_at = excluded.full_at
