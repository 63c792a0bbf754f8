-- Tells of a rule's alerts again: primary key. Says whether it was muted.
DELETE FROM leasehold_alert_mute
WHERE name = :name
RETURNING until > :now
