-- The living workers: who serves a queue, who knows a kind, and how many leases each has. Reads the
-- small tables of workers and leases.
SELECT
  worker.id,
  worker.slots,
  worker.queues,
  EXISTS (SELECT 1 FROM json_each(worker.queues) AS queue WHERE queue.value = :queue),
  EXISTS (SELECT 1 FROM json_each(worker.kinds) AS kind WHERE kind.value = :kind),
  coalesce(held.leases, 0)
FROM leasehold_worker AS worker
LEFT JOIN (SELECT worker, count(*) AS leases FROM leasehold_lease GROUP BY worker) AS held
  ON held.worker = worker.id
WHERE worker.ended_at IS NULL
AND worker.seen_at > :seen_since -- as fleet.sql has it
ORDER BY worker.id
