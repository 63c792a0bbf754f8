-- Fires what is above its limit: primary key. One that fires already changes only its value. A clearing
-- that has not been told yet is told first, and one that came after what is said here was seen stands.
INSERT INTO leasehold_alert
  (name, subject, level, is_firing, since, value, bound, seen_at, told_at, sent, tries, next_at, reminders)
SELECT value ->> 'name', value ->> 'subject', value ->> 'level', 1, :now, value ->> 'value',
  value ->> 'bound', coalesce(value ->> 'seen_at', :now), NULL, '[]', 0, :now, 0
FROM json_each(:judged)
WHERE true
ON CONFLICT (name, subject) DO UPDATE
SET is_firing = 1,
  level = excluded.level,
  value = excluded.value,
  bound = excluded.bound,
  seen_at = excluded.seen_at,
  since = iif(leasehold_alert.is_firing, leasehold_alert.since, excluded.since),
  told_at = iif(leasehold_alert.is_firing, leasehold_alert.told_at, NULL),
  sent = iif(leasehold_alert.is_firing, leasehold_alert.sent, '[]'),
  tries = iif(leasehold_alert.is_firing, leasehold_alert.tries, 0),
  next_at = iif(leasehold_alert.is_firing, leasehold_alert.next_at, excluded.next_at),
  reminders = iif(leasehold_alert.is_firing, leasehold_alert.reminders, 0)
WHERE leasehold_alert.since <= excluded.seen_at
  AND (leasehold_alert.is_firing OR leasehold_alert.told_at IS NOT NULL)
