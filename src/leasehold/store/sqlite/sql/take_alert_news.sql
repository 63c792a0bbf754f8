-- Takes what has to be told, for a time: who comes meanwhile finds next_at moved. Few rows.
UPDATE leasehold_alert
SET next_at = :until,
  tries = tries + 1
WHERE told_at IS NULL
  AND next_at <= :now
  AND NOT EXISTS (
    SELECT 1
    FROM leasehold_alert_mute AS mute
    WHERE mute.name = leasehold_alert.name
      AND mute.until > :now
  )
RETURNING name, subject, level, is_firing, since, value, bound, seen_at, told_at, sent, tries, reminders, NULL
