-- Lists queues that are paused or have a limit or an aging, and how many run of those with a limit. Reads
-- the few queues that somebody has changed; lease_gate.
SELECT name,
  CASE WHEN is_paused THEN least(paused_until, '9999-12-31 23:59:59.999999+00') END AT TIME ZONE 'UTC',
  CASE WHEN is_paused THEN pause_reason END,
  CASE WHEN is_paused THEN paused_by END,
  aging_seconds,
  running_limit,
  limited_by,
  CASE
    WHEN running_limit IS NOT NULL
      THEN (SELECT count(*) FROM leasehold.lease WHERE lease.gate = said.name)
  END
FROM (
  SELECT *, coalesce(paused_until > %(skew)s + now(), false) AS is_paused
  FROM leasehold.queue
) AS said
WHERE is_paused
   OR aging_seconds IS NOT NULL
   OR running_limit IS NOT NULL
ORDER BY name
