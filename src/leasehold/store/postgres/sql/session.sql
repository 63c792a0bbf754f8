-- Says whose session it is, with what its token may do now: primary keys.
SELECT
  session.name,
  coalesce(token.scope, session.scope),
  CASE WHEN session.token IS NULL THEN session.bound_to ELSE token.bound_to END,
  session.token,
  least(session.expires_at, token.expires_at)
FROM leasehold.session
LEFT JOIN leasehold.token ON token.id = session.token
WHERE session.digest = %(digest)s
  AND session.expires_at > %(skew)s + now()
  AND (
    session.token IS NULL
    OR token.id IS NOT NULL
      AND token.revoked_at IS NULL
      AND (token.expires_at IS NULL OR token.expires_at > %(skew)s + now())
  )
