-- Writes jobs over a connection of our own; the same as enqueue.sql.
SELECT existing
FROM leasehold.enqueue_many($1, $2)
