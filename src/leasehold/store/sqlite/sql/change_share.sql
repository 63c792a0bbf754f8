-- Gives a share its weight. Primary key.
INSERT INTO leasehold_share (name, weight, set_by, updated_at)
VALUES (:name, :weight, :by, :now)
ON CONFLICT (name) DO UPDATE
SET weight = excluded.weight, set_by = excluded.set_by, updated_at = excluded.updated_at
