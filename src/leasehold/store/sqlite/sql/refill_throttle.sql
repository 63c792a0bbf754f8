-- Forgets what a key has used up of its rate. Primary key.
-- The row stays: what attempts that run now spend beyond their reserve counts from here on.
UPDATE leasehold_bucket
SET full_at = :now
WHERE lane = :lane
AND full_at > :now
