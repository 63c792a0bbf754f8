-- Forgets sessions that are over: the index on their ends.
DELETE FROM leasehold_session
WHERE expires_at <= :now
