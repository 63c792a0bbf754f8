-- Writes down what an enqueue has used up. Primary key.
UPDATE leasehold_quota
SET spare = :spare, full_at = :full_at
WHERE tenant = :tenant
