-- Clears what fires and is below its limit: primary key. One whose firing has not been told waits for that,
-- unless it is muted: then nobody hears of either. A firing that came after what is said here was seen stands.
UPDATE leasehold.alert
SET is_firing = false,
  since = %(skew)s + now(),
  value = judged.value,
  seen_at = coalesce(judged.seen_at, %(skew)s + now()),
  told_at = CASE WHEN alert.told_at IS NULL THEN %(skew)s + now() END,
  sent = '[]',
  tries = 0,
  next_at = %(skew)s + now(),
  reminders = 0
FROM jsonb_to_recordset(%(judged)s::jsonb)
  AS judged (name text, subject text, value double precision, seen_at timestamptz)
WHERE alert.name = judged.name
  AND alert.subject = judged.subject
  AND alert.is_firing
  AND alert.since <= coalesce(judged.seen_at, %(skew)s + now())
  AND (
    alert.told_at IS NOT NULL
    OR EXISTS (
      SELECT FROM leasehold.alert_mute AS mute
      WHERE mute.name = alert.name
        AND mute.until > %(skew)s + now()
    )
  )
