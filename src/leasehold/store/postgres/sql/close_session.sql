-- Ends a session: primary key.
DELETE FROM leasehold.session
WHERE digest = %(digest)s
RETURNING true
