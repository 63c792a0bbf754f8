-- Lists what is said of throttles, and how many jobs of each run and wait; those of a rule are those of
-- its keys. Scans throttles, the throttled leases and what waits. For a tenant: what it has for itself,
-- and of a rule only what is its own.
WITH held AS MATERIALIZED (
  SELECT lane, count(*) AS number
  FROM leasehold_lease
  WHERE lane <> ''
  AND NOT shares_slot
  GROUP BY lane
),
behind AS MATERIALIZED (
  SELECT lane, count(*) AS number
  FROM leasehold_waiting
  WHERE lane <> ''
  GROUP BY lane
),
listed AS MATERIALIZED (
  SELECT *,
    iif(:tenant IS NOT NULL AND name LIKE '@%' AND name NOT LIKE '%:%',
      name || ':' || :tenant || char(30), name) AS key,
    paused_until > :now AS is_paused
  FROM leasehold_throttle
  WHERE name NOT LIKE '%:%'
  OR coalesce(running, per_worker, rate) IS NOT NULL
  OR paused_until > :now
),
told AS MATERIALIZED (
  SELECT *, iif(instr(key, char(30)) = 0, NULL, substr(
    key, instr(key, ':') + 1, instr(key, char(30)) - instr(key, ':') - 1)) AS whose
  FROM listed
)
SELECT
  key, name, tenant, running, per_worker, rate, burst, iif(is_paused, paused_until, NULL),
  iif(is_paused, pause_reason, NULL), iif(is_paused, paused_by, NULL), set_by,
  -- those of a rule are those of its keys: what begins with its name and a colon
  (SELECT coalesce(sum(number), 0) FROM held WHERE lane = key
    OR substr(lane, 1, length(key) + 1) = key || ':'
    OR substr(key, -1) = char(30) AND substr(lane, 1, length(key)) = key),
  (SELECT coalesce(sum(number), 0) FROM behind WHERE lane = key
    OR substr(lane, 1, length(key) + 1) = key || ':'
    OR substr(key, -1) = char(30) AND substr(lane, 1, length(key)) = key)
FROM told
WHERE iif(:tenant IS NULL, tenant IN ('', whose), whose = :tenant AND tenant IN ('', :tenant))
