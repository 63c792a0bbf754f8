-- What did somebody say of these queues? Primary key.
SELECT name, aging_seconds, paused_until
FROM leasehold_queue
WHERE name IN (SELECT value FROM json_each(:queues))
