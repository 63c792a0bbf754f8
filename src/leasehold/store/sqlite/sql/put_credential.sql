-- Writes an encrypted value under a name, in place of what was there: primary key.
INSERT INTO leasehold_credential (tenant, name, value, set_by, updated_at)
VALUES (:tenant, :name, :value, :by, :now)
ON CONFLICT (tenant, name) DO UPDATE
SET value = excluded.value,
  set_by = excluded.set_by,
  updated_at = excluded.updated_at
