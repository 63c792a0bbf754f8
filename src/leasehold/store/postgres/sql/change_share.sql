-- Gives a share a weight, from the next look on: primary key.
INSERT INTO leasehold.share (name, weight, set_by, updated_at)
VALUES (%(name)s, %(weight)s, %(by)s, %(skew)s + now())
ON CONFLICT (name) DO UPDATE
SET weight = excluded.weight,
  set_by = excluded.set_by,
  updated_at = excluded.updated_at
