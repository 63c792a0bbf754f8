-- Writes down that a token was used, unless that was done lately: primary key.
UPDATE leasehold_token
SET last_used_at = :now
WHERE id = :id
  AND (last_used_at IS NULL OR last_used_at < :before)
