-- Keeps a token unless one of its name stands: primary key and the index on names.
INSERT INTO leasehold_token (id, name, digest, scope, bound_to, created_at, created_by, expires_at)
VALUES (:id, :name, :digest, :scope, :bound_to, :now, :by, :expires_at)
ON CONFLICT DO NOTHING
