-- Writes down what a worker's tasks are like; the newest worker's word counts. Primary key.
INSERT INTO leasehold_task
  (kind, queue, priority, max_attempts, timeout_seconds, dies_on_lapse, seen_at)
SELECT
  value ->> 'kind', value ->> 'queue', value ->> 'priority', value ->> 'max_attempts',
  value ->> 'timeout_seconds', value ->> 'dies_on_lapse', :now
FROM json_each(:tasks)
WHERE true
ON CONFLICT (kind) DO UPDATE
SET queue = excluded.queue, priority = excluded.priority, max_attempts = excluded.max_attempts,
    timeout_seconds = excluded.timeout_seconds, dies_on_lapse = excluded.dies_on_lapse,
    seen_at = excluded.seen_at
