-- Forgets the sessions of a token that was revoked: they are few, and it is rare.
DELETE FROM leasehold_session
WHERE token = :token
