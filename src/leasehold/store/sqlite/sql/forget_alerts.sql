-- Forgets what cleared a week ago and was told. Few rows.
DELETE FROM leasehold_alert
WHERE NOT is_firing
  AND told_at < :before
