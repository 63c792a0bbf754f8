-- Tells nobody of a rule's alerts for a time: primary key.
INSERT INTO leasehold_alert_mute (name, until, set_by)
VALUES (:name, :until, :by)
ON CONFLICT (name) DO UPDATE
SET until = excluded.until, set_by = excluded.set_by
