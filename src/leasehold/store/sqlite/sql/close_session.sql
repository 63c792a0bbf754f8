-- Ends a session: primary key.
DELETE FROM leasehold_session
WHERE digest = :digest
