-- Reads a part of what is known of a move. Primary key.
SELECT said
FROM leasehold_move
WHERE part = :part
