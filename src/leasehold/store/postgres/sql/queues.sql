-- Lists queues that are paused or have an aging. Reads the few queues that somebody has changed.
SELECT name,
  CASE WHEN is_paused THEN least(paused_until, '9999-12-31 23:59:59.999999+00') END AT TIME ZONE 'UTC',
  CASE WHEN is_paused THEN pause_reason END,
  CASE WHEN is_paused THEN paused_by END,
  aging_seconds
FROM (
  SELECT *, coalesce(paused_until > %(skew)s + now(), false) AS is_paused
  FROM leasehold.queue
) AS said
WHERE is_paused
   OR aging_seconds IS NOT NULL
ORDER BY name
