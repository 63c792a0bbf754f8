-- Looks a token up by its id: primary key.
SELECT
  id, name, scope, bound_to, created_at, created_by, expires_at, revoked_at, last_used_at, digest
FROM leasehold_token
WHERE id = :id
