-- Shows that a worker is there: primary key.
UPDATE leasehold.worker
SET seen_at = %(skew)s + now(),
  running = %(running)s
WHERE id = %(id)s
