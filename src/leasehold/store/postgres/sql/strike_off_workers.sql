-- Strikes off workers that have not been seen for an hour: they were killed. Scans the few workers.
UPDATE leasehold.worker
SET running = 0,
  ended_at = seen_at
WHERE ended_at IS NULL
  AND seen_at < %(skew)s + now() - interval '1 hour'
