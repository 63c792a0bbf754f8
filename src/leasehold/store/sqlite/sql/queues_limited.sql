-- Reads which queues have a limit, and what it leaves. Scans the few queues that somebody has changed.
SELECT name, max(0, running_limit - (SELECT count(*) FROM leasehold_lease WHERE gate = name))
FROM leasehold_queue
WHERE running_limit IS NOT NULL
