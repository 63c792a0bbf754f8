-- Lets the firing alerts of a rule be told again that were told long ago: primary key.
UPDATE leasehold.alert
SET told_at = NULL,
  sent = '[]',
  tries = 0,
  next_at = %(skew)s + now(),
  reminders = reminders + 1
WHERE name = %(name)s
  AND is_firing
  AND told_at < %(skew)s + now() - make_interval(secs => %(seconds)s)
RETURNING subject
