-- Lets a token be good for nothing any more, and ends its sessions: the index on names.
WITH revoked AS (
  UPDATE leasehold.token
  SET revoked_at = %(skew)s + now()
  WHERE name = %(name)s
    AND revoked_at IS NULL
  RETURNING id
),
ended AS (
  DELETE FROM leasehold.session
  WHERE token IN (SELECT id FROM revoked)
)
SELECT id FROM revoked
