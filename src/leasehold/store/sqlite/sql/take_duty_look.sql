-- Does nobody have this duty now? Primary key.
SELECT NOT EXISTS (SELECT 1 FROM leasehold_duty WHERE name = :name AND until > :now)
