-- Writes down who was told of a state, if it is still that state: primary key.
UPDATE leasehold.alert
SET sent = %(sent)s::jsonb,
  told_at = CASE WHEN %(is_told)s THEN %(skew)s + now() END,
  next_at = %(skew)s + now() + make_interval(secs => %(again_seconds)s)
WHERE name = %(name)s
  AND subject = %(subject)s
  AND is_firing = %(is_firing)s
  AND since = %(since)s
  AND told_at IS NULL
RETURNING name
