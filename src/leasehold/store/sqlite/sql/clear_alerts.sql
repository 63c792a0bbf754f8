-- Clears what fires and is below its limit: primary key. One whose firing has not been told waits for that,
-- unless it is muted: then nobody hears of either. A firing that came after what is said here was seen stands.
UPDATE leasehold_alert
SET is_firing = 0,
  since = :now,
  value = judged.value ->> 'value',
  seen_at = coalesce(judged.value ->> 'seen_at', :now),
  told_at = iif(told_at IS NULL, :now, NULL),
  sent = '[]',
  tries = 0,
  next_at = :now,
  reminders = 0
FROM json_each(:judged) AS judged
WHERE leasehold_alert.name = judged.value ->> 'name'
  AND leasehold_alert.subject = judged.value ->> 'subject'
  AND is_firing
  AND since <= coalesce(judged.value ->> 'seen_at', :now)
  AND (
    told_at IS NOT NULL
    OR EXISTS (
      SELECT 1
      FROM leasehold_alert_mute AS mute
      WHERE mute.name = leasehold_alert.name
        AND mute.until > :now
    )
  )
