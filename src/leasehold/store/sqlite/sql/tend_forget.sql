-- Forgets workers that ended long ago and hold nothing. Scans the few workers.
DELETE FROM leasehold_worker
WHERE ended_at < :ended_before
AND id NOT IN (SELECT worker FROM leasehold_lease)
