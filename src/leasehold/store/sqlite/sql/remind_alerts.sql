-- Lets the firing alerts of a rule be told again that were told long ago: primary key.
UPDATE leasehold_alert
SET told_at = NULL,
  sent = '[]',
  tries = 0,
  next_at = :now,
  reminders = reminders + 1
WHERE name = :name
  AND is_firing
  AND told_at < :before
