-- Lists the workers that are there. Scans the few workers.
SELECT id, name, queues, kinds, slots, version, running, started_at, seen_at
FROM leasehold_worker
WHERE ended_at IS NULL
ORDER BY started_at, id
