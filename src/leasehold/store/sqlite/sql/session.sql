-- Says whose session it is, with what its token may do now: primary keys.
SELECT
  session.name,
  coalesce(token.scope, session.scope),
  CASE WHEN session.token IS NULL THEN session.bound_to ELSE token.bound_to END,
  session.token,
  min(session.expires_at, coalesce(token.expires_at, session.expires_at))
FROM leasehold_session AS session
LEFT JOIN leasehold_token AS token ON token.id = session.token
WHERE session.digest = :digest
  AND session.expires_at > :now
  AND (
    session.token IS NULL
    OR token.revoked_at IS NULL AND (token.expires_at IS NULL OR token.expires_at > :now)
      AND token.id IS NOT NULL
  )
