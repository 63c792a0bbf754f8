-- Lists queues that are paused or have an aging. Scans the few queues that somebody has changed.
SELECT
  name, iif(paused_until > :now, paused_until, NULL), iif(paused_until > :now, pause_reason, NULL),
  iif(paused_until > :now, paused_by, NULL), aging_seconds
FROM leasehold_queue
WHERE paused_until > :now
OR aging_seconds IS NOT NULL
ORDER BY name
