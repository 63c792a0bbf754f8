-- Reads which queues are paused, until when. Scans the few queues that somebody has changed.
SELECT name, paused_until
FROM leasehold_queue
WHERE paused_until > :now
