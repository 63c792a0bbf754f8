-- Lists the workers that have not said farewell, longest running first.
SELECT id, name, queues, kinds, slots, version, running, started_at, seen_at
FROM leasehold.worker
WHERE ended_at IS NULL
ORDER BY started_at, id
