-- Writes down a worker. Primary key.
INSERT INTO leasehold_worker
  (id, name, queues, kinds, slots, running, version, started_at, seen_at)
VALUES
  (:id, :name, :queues, :kinds, :slots, :running, :version, :started_at, :now)
ON CONFLICT (id) DO UPDATE
SET name = excluded.name, queues = excluded.queues, kinds = excluded.kinds, slots = excluded.slots,
    running = excluded.running, version = excluded.version, seen_at = excluded.seen_at,
    ended_at = NULL
