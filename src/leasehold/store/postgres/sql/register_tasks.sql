-- Writes down what a worker knows of its kinds; in one order, so that two workers can't deadlock.
INSERT INTO leasehold.task
  (kind, queue, priority, max_attempts, timeout_seconds, dies_on_lapse, seen_at,
   throttle, throttle_by, share_by, cost, encrypted)
SELECT kind, queue, priority, max_attempts, timeout_seconds, dies_on_lapse, %(skew)s + now(),
  throttle, throttle_by, share_by, cost, encrypted
FROM jsonb_to_recordset(%(tasks)s::jsonb) AS task (kind text, queue text, priority smallint,
  max_attempts smallint, timeout_seconds real, dies_on_lapse boolean,
  throttle text, throttle_by text[], share_by text[], cost double precision, encrypted boolean)
ORDER BY kind
ON CONFLICT (kind) DO UPDATE
SET queue = excluded.queue,
  priority = excluded.priority,
  max_attempts = excluded.max_attempts,
  timeout_seconds = excluded.timeout_seconds,
  dies_on_lapse = excluded.dies_on_lapse,
  seen_at = excluded.seen_at,
  throttle = excluded.throttle,
  throttle_by = excluded.throttle_by,
  share_by = excluded.share_by,
  cost = excluded.cost,
  encrypted = excluded.encrypted
