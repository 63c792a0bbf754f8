-- Writes down a part of what is known of a move. Primary key.
INSERT INTO leasehold_move (part, said)
VALUES (:part, :said)
ON CONFLICT (part) DO UPDATE
SET said = excluded.said
