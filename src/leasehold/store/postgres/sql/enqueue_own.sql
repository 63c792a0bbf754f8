-- Writes jobs over a connection of our own; the same as enqueue.sql.
SELECT existing
FROM leasehold.enqueue_many(%(jobs)s, %(skew_seconds)s)
