-- Forgets a part of what is known of a move. Primary key.
DELETE FROM leasehold_move
WHERE part = :part
