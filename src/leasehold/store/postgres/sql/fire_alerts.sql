-- Fires what is above its limit: primary key. Two that say it at once meet at the row, and the second one
-- changes only the value. A clearing that has not been told yet is told first, and one that came after what
-- is said here was seen stands.
INSERT INTO leasehold.alert AS alert
  (name, subject, level, is_firing, since, value, bound, seen_at, told_at, sent, tries, next_at, reminders)
SELECT name, subject, level, true, %(skew)s + now(), value, bound, coalesce(seen_at, %(skew)s + now()), NULL, '[]', 0,
  %(skew)s + now(), 0
FROM jsonb_to_recordset(%(judged)s::jsonb)
  AS judged (name text, subject text, level text, value double precision, bound double precision,
    seen_at timestamptz)
ORDER BY name, subject
ON CONFLICT (name, subject) DO UPDATE
SET is_firing = true,
  level = excluded.level,
  value = excluded.value,
  bound = excluded.bound,
  seen_at = excluded.seen_at,
  since = CASE WHEN alert.is_firing THEN alert.since ELSE excluded.since END,
  told_at = CASE WHEN alert.is_firing THEN alert.told_at END,
  sent = CASE WHEN alert.is_firing THEN alert.sent ELSE '[]' END,
  tries = CASE WHEN alert.is_firing THEN alert.tries ELSE 0 END,
  next_at = CASE WHEN alert.is_firing THEN alert.next_at ELSE excluded.next_at END,
  reminders = CASE WHEN alert.is_firing THEN alert.reminders ELSE 0 END
WHERE alert.since <= excluded.seen_at
  AND (alert.is_firing OR alert.told_at IS NOT NULL)
