-- Sets or, with NULL, ends the aging of a queue: primary key.
INSERT INTO leasehold.queue (name, aging_seconds, updated_at)
VALUES (%(name)s, %(aging_seconds)s, %(skew)s + now())
ON CONFLICT (name) DO UPDATE
SET aging_seconds = excluded.aging_seconds,
  updated_at = excluded.updated_at
