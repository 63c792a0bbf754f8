-- Keeps a token unless one of its name stands: primary key and the index on names.
INSERT INTO leasehold.token (id, name, digest, scope, bound_to, created_at, created_by, expires_at)
VALUES (
  %(id)s,
  %(name)s,
  %(digest)s,
  %(scope)s,
  %(bound_to)s,
  %(skew)s + now(),
  %(by)s,
  %(skew)s + now() + make_interval(secs => %(expires_seconds)s)
)
ON CONFLICT DO NOTHING
RETURNING
  id, name, scope, bound_to, created_at, created_by, expires_at, revoked_at, last_used_at
