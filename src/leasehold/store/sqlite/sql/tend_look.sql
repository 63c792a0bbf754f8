-- Are there workers to strike off or to forget? Scans the few workers.
SELECT 1
FROM leasehold_worker
WHERE (ended_at IS NULL AND seen_at < :unseen_since)
OR ended_at < :ended_before
LIMIT 1
