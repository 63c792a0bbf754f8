-- Is there anything to tidy about lanes? Scans throttles and the rates that were used of late.
SELECT 1
WHERE EXISTS (SELECT 1 FROM leasehold_bucket WHERE full_at < :long_ago)
OR EXISTS (SELECT 1 FROM leasehold_charge)
OR EXISTS (
  SELECT 1
  FROM leasehold_throttle
  WHERE name LIKE '%:%'
  AND coalesce(running, per_worker, rate) IS NULL
  AND coalesce(paused_until, updated_at) < :long_ago
)
