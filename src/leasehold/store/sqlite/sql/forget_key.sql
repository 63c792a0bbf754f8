-- Forgets a key that has neither limits of its own nor a pause. Primary key.
DELETE FROM leasehold_throttle
WHERE name = :name
AND tenant = :tenant
AND coalesce(running, per_worker, rate) IS NULL
AND coalesce(paused_until, 0) <= :now
