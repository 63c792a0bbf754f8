-- Writes down who was told of a state, if it is still that state: primary key.
UPDATE leasehold_alert
SET sent = :sent,
  told_at = iif(:is_told, :now, NULL),
  next_at = :next_at
WHERE name = :name
  AND subject = :subject
  AND is_firing = :is_firing
  AND since = :since
  AND told_at IS NULL
