-- Lists the alerts that fire, then those that cleared lately, the newest first. Few rows.
SELECT alert.name, subject, level, is_firing, since, value, bound, seen_at, told_at, sent, tries, reminders,
  mute.until
FROM leasehold_alert AS alert
LEFT JOIN leasehold_alert_mute AS mute
  ON mute.name = alert.name
  AND mute.until > :now
ORDER BY is_firing DESC, since DESC, alert.name, subject
