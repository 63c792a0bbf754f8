-- Writes down how deep the queues are, in place of what was written in this span: primary key.
INSERT INTO leasehold.depth (span, at, queue, ready, blocked, scheduled, failed, running, parked,
  oldest_seconds)
SELECT 10, date_bin('10 seconds', %(skew)s + now(), 'epoch'), queue, ready, blocked, scheduled, failed,
  running, parked, oldest_seconds
FROM jsonb_to_recordset(%(depths)s::jsonb) AS depth
  (queue text, ready bigint, blocked bigint, scheduled bigint, failed bigint, running bigint,
   parked bigint, oldest_seconds double precision)
WHERE (SELECT set_config('synchronous_commit', 'off', true)) = 'off'
ORDER BY queue COLLATE "C"
ON CONFLICT (span, at, queue) DO UPDATE
SET ready = excluded.ready,
  blocked = excluded.blocked,
  scheduled = excluded.scheduled,
  failed = excluded.failed,
  running = excluded.running,
  parked = excluded.parked,
  oldest_seconds = excluded.oldest_seconds
