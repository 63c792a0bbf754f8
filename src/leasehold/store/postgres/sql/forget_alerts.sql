-- Forgets what cleared a week ago and was told. Few rows.
DELETE FROM leasehold.alert
WHERE NOT is_firing
  AND told_at < %(skew)s + now() - interval '7 days'
