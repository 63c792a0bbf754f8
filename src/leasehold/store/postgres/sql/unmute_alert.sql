-- Tells of a rule's alerts again: primary key. Says whether it was muted.
DELETE FROM leasehold.alert_mute
WHERE name = %(name)s
RETURNING until > %(skew)s + now()
