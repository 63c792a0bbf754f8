-- Lists queues that are paused or have a limit or an aging, and how many run of those with a limit. Scans
-- the few queues that somebody has changed; leasehold_lease_gate.
SELECT
  name, iif(paused_until > :now, paused_until, NULL), iif(paused_until > :now, pause_reason, NULL),
  iif(paused_until > :now, paused_by, NULL), aging_seconds, running_limit, limited_by,
  iif(
    running_limit IS NULL, NULL, (SELECT count(*) FROM leasehold_lease WHERE gate = name)
  )
FROM leasehold_queue
WHERE paused_until > :now
OR aging_seconds IS NOT NULL
OR running_limit IS NOT NULL
ORDER BY name
