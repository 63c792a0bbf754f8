-- Writes down a part of what is known of a move: primary key.
INSERT INTO leasehold.move (part, said)
VALUES (%(part)s, %(said)s::json)
ON CONFLICT (part) DO UPDATE
SET said = excluded.said
