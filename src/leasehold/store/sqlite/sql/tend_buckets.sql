-- Forgets buckets that have long been full: no row means the same. Not while attempts of the key run,
-- since what they spend counts from there. Scans the rates used of late.
DELETE FROM leasehold_bucket
WHERE full_at < :long_ago
AND NOT EXISTS (
  SELECT 1
  FROM leasehold_lease
  WHERE leasehold_lease.lane = leasehold_bucket.lane
  AND leasehold_lease.lane <> ''
  AND NOT leasehold_lease.shares_slot
)
