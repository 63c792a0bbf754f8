-- Forgets what says nothing any more: buckets long full again, and keys with neither limits of their own
-- nor a pause. Not while attempts of the key run: what they spend counts from there. Skips what is
-- locked. Reads both tables, which have a row for each key at most; lease_lane.
WITH full_again AS (
  DELETE FROM leasehold.bucket
  WHERE ctid = ANY (ARRAY (
    SELECT ctid
    FROM leasehold.bucket
    WHERE full_at < %(skew)s + now() - interval '1 hour'
      AND NOT EXISTS (
        SELECT FROM leasehold.lease WHERE lease.lane = bucket.lane AND lease.lane <> '' AND NOT lease.shares_slot
      )
    LIMIT 1000
    FOR UPDATE SKIP LOCKED
  ))
)
DELETE FROM leasehold.throttle
WHERE ctid = ANY (ARRAY (
  SELECT ctid
  FROM leasehold.throttle
  WHERE name LIKE '%%:%%'
    AND coalesce(running, per_worker) IS NULL
    AND rate IS NULL
    AND coalesce(paused_until, updated_at) < %(skew)s + now() - interval '1 hour'
  LIMIT 1000
  FOR UPDATE SKIP LOCKED
))
