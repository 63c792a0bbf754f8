-- Forgets what a key has used up of its rate: primary key, charge_lane. The caller holds its turnstile.
-- The bucket's row stays: what attempts that run now spend beyond their reserve counts from here on.
WITH owed AS (
  DELETE FROM leasehold.charge
  WHERE lane = %(name)s
  RETURNING lane
),
used AS (
  UPDATE leasehold.bucket
  SET full_at = %(skew)s + now()
  WHERE lane = %(name)s
    AND full_at > %(skew)s + now()
  RETURNING lane
)
SELECT lane FROM owed
UNION
SELECT lane FROM used
