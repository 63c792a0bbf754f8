-- Writes down how deep the queues are, in place of what was written in this span: primary key.
INSERT OR REPLACE INTO leasehold_depth (span, at, queue, ready, blocked, scheduled, failed, running, parked,
  oldest_seconds)
SELECT 10, :now - :now % 10000000, value ->> 'queue', value ->> 'ready', value ->> 'blocked',
  value ->> 'scheduled', value ->> 'failed', value ->> 'running', value ->> 'parked',
  value ->> 'oldest_seconds'
FROM json_each(:depths)
