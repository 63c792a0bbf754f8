-- Strikes off workers that have not been seen for long. Scans the few workers.
UPDATE leasehold_worker
SET running = 0, ended_at = seen_at
WHERE ended_at IS NULL
AND seen_at < :unseen_since
