-- Forgets a move.
DELETE FROM leasehold_move
