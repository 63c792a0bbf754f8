-- Lets a rule be what code declares from now on. Primary key.
UPDATE leasehold_throttle
SET set_by = NULL, updated_at = :now
WHERE name = :name
AND tenant = :tenant
AND set_by IS NOT NULL
