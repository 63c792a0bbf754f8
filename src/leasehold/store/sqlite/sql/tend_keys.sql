-- Forgets keys without limits whose pause has long been over: no row means the same. Scans throttles.
DELETE FROM leasehold_throttle
WHERE name LIKE '%:%'
AND coalesce(running, per_worker, rate) IS NULL
AND coalesce(paused_until, updated_at) < :long_ago
