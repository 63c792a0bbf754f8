-- Tells nobody of a rule's alerts for a time: primary key.
INSERT INTO leasehold.alert_mute (name, until, set_by)
VALUES (%(name)s, %(skew)s + now() + make_interval(secs => %(seconds)s), %(by)s)
ON CONFLICT (name) DO UPDATE
SET until = excluded.until,
  set_by = excluded.set_by
RETURNING name, until, set_by
