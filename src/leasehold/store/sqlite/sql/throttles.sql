-- Lists what is said of throttles, and how many jobs of each run and wait. Scans throttles, the
-- throttled leases and what waits.
WITH held AS MATERIALIZED (
  SELECT lane, count(*) AS number
  FROM leasehold_lease
  WHERE lane <> ''
  GROUP BY lane
),
behind AS MATERIALIZED (
  SELECT lane, count(*) AS number
  FROM leasehold_waiting
  WHERE lane <> ''
  GROUP BY lane
)
SELECT
  name, running, per_worker, rate, burst, iif(paused_until > :now, paused_until, NULL),
  iif(paused_until > :now, pause_reason, NULL), iif(paused_until > :now, paused_by, NULL), set_by,
  -- those of a rule are those of its keys: what begins with its name and a colon
  (SELECT coalesce(sum(number), 0) FROM held WHERE lane = name OR substr(lane, 1, length(name) + 1) = name || ':'),
  (SELECT coalesce(sum(number), 0) FROM behind WHERE lane = name OR substr(lane, 1, length(name) + 1) = name || ':')
FROM leasehold_throttle
WHERE name NOT LIKE '%:%'
OR coalesce(running, per_worker, rate) IS NOT NULL
OR paused_until > :now
ORDER BY name
