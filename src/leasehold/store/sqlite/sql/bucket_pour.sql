-- Writes down when a key's bucket will be full again. Primary key.
INSERT INTO leasehold_bucket (lane, tenant, full_at)
VALUES (:lane, :tenant, :full_at)
ON CONFLICT (lane, tenant) DO UPDATE
SET full_at = excluded.full_at
