-- Keeps a session, by the digest of its cookie: primary key.
INSERT INTO leasehold_session (digest, token, name, scope, bound_to, created_at, expires_at)
VALUES (:digest, :token, :name, :scope, :bound_to, :now, :expires_at)
