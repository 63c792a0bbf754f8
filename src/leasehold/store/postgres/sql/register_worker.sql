-- Writes down a worker: primary key.
INSERT INTO leasehold.worker (id, name, queues, kinds, slots, version, started_at, seen_at)
VALUES (%(id)s, %(name)s, %(queues)s, %(kinds)s, %(slots)s, %(version)s,
  %(skew)s + now(), %(skew)s + now())
ON CONFLICT (id) DO UPDATE
SET seen_at = excluded.seen_at,
  ended_at = NULL
