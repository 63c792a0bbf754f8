-- Takes what has to be told, for a time: who comes meanwhile finds next_at moved. Few rows.
UPDATE leasehold.alert
SET next_at = %(skew)s + now() + make_interval(secs => %(seconds)s),
  tries = tries + 1
WHERE told_at IS NULL
  AND next_at <= %(skew)s + now()
  AND NOT EXISTS (
    SELECT FROM leasehold.alert_mute AS mute
    WHERE mute.name = alert.name
      AND mute.until > %(skew)s + now()
  )
RETURNING name, subject, level, is_firing, since, value, bound, seen_at, told_at, sent, tries, reminders, NULL
