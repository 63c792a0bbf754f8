-- Writes jobs of which some have a key, over a connection of our own; the same as enqueue_keyed.sql.
SELECT asked, standing, verdict, other, until
FROM leasehold.enqueue_keyed($1, $2)
