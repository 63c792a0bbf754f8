-- What did somebody say of these queues, and what does a limit leave? Primary key, leasehold_lease_gate.
SELECT
  name, aging_seconds, paused_until,
  running_limit - (SELECT count(*) FROM leasehold_lease WHERE gate = name)
FROM leasehold_queue
WHERE name IN (SELECT value FROM json_each(:queues))
