-- Lists all tokens, the newest first: they are few.
SELECT id, name, scope, bound_to, created_at, created_by, expires_at, revoked_at, last_used_at
FROM leasehold_token
ORDER BY created_at DESC, id DESC
