-- Lets a token be good for nothing any more: the index on names.
UPDATE leasehold_token
SET revoked_at = :now
WHERE name = :name
  AND revoked_at IS NULL
RETURNING id
