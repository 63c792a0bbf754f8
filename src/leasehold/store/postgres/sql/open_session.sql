-- Keeps a session, by the digest of its cookie, and forgets those that are over: primary key, and the
-- index on their ends.
WITH forgotten AS (
  DELETE FROM leasehold.session
  WHERE expires_at <= %(skew)s + now()
)
INSERT INTO leasehold.session (digest, token, name, scope, bound_to, created_at, expires_at)
VALUES (
  %(digest)s,
  %(token)s,
  %(name)s,
  %(scope)s,
  %(bound_to)s,
  %(skew)s + now(),
  %(skew)s + now() + make_interval(secs => %(seconds)s)
)
