-- What is said of a throttle's key and of its rule, of all that its tenant has between them: primary key.
SELECT name, running, per_worker, rate, paused_until, pause_reason, paused_by, tenant
FROM leasehold_throttle
WHERE name IN (:lane, :every, :rule)
AND tenant IN ('', :tenant)
