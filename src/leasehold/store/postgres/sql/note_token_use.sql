-- Writes down that a token was used, unless that was done lately: primary key.
UPDATE leasehold.token
SET last_used_at = %(skew)s + now()
WHERE id = %(id)s
  AND (
    last_used_at IS NULL
    OR last_used_at < %(skew)s + now() - make_interval(secs => %(every_seconds)s)
  )
