-- Writes an encrypted value under a name, in place of what was there: primary key.
INSERT INTO leasehold.credential AS credential (tenant, name, value, set_by, updated_at)
VALUES (%(tenant)s, %(name)s, %(value)s, %(by)s, now() + %(skew)s)
ON CONFLICT (tenant, name) DO UPDATE
SET value = excluded.value,
  set_by = excluded.set_by,
  updated_at = excluded.updated_at
