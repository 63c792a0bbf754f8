-- What is said of a throttle's key and of its rule: primary key.
SELECT name, running, per_worker, rate, paused_until, pause_reason, paused_by
FROM leasehold_throttle
WHERE name IN (:lane, substr(:lane, 1, instr(:lane || ':', ':') - 1))
