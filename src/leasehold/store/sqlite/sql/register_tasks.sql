-- Writes down what a worker's tasks are like; the newest worker's word counts. Primary key.
INSERT INTO leasehold_task
  (kind, queue, priority, max_attempts, timeout_seconds, dies_on_lapse,
   throttle, throttle_by, share_by, cost, encrypted, seen_at)
SELECT
  value ->> 'kind', value ->> 'queue', value ->> 'priority', value ->> 'max_attempts',
  value ->> 'timeout_seconds', value ->> 'dies_on_lapse', value ->> 'throttle',
  nullif(value -> 'throttle_by', 'null'), nullif(value -> 'share_by', 'null'), value ->> 'cost',
  value ->> 'encrypted', :now
FROM json_each(:tasks)
WHERE true
ON CONFLICT (kind) DO UPDATE
SET queue = excluded.queue, priority = excluded.priority, max_attempts = excluded.max_attempts,
    timeout_seconds = excluded.timeout_seconds, dies_on_lapse = excluded.dies_on_lapse,
    throttle = excluded.throttle, throttle_by = excluded.throttle_by,
    share_by = excluded.share_by, cost = excluded.cost,
    encrypted = excluded.encrypted,
    seen_at = excluded.seen_at
