-- Lists the rules, and the keys with limits of their own or a pause, and how many jobs of each run and
-- wait; those of a rule are those of its keys. Reads the throttled leases and all that waits.
WITH held AS MATERIALIZED (
  SELECT lane, count(*) AS jobs
  FROM leasehold.lease
  WHERE lane <> ''
  GROUP BY lane
),
behind AS MATERIALIZED (
  SELECT lane, count(*) AS jobs
  FROM leasehold.waiting
  WHERE lane <> ''
  GROUP BY lane
),
listed AS MATERIALIZED (
  SELECT *, paused_until > %(skew)s + now() AS is_paused
  FROM leasehold.throttle
  WHERE name NOT LIKE '%%:%%'
     OR coalesce(running, per_worker) IS NOT NULL
     OR rate IS NOT NULL
     OR paused_until > %(skew)s + now()
)
SELECT listed.name, listed.running, listed.per_worker, listed.rate, listed.burst, state.tokens,
  CASE WHEN is_paused THEN least(listed.paused_until, '9999-12-31 23:59:59.999999+00') END AT TIME ZONE 'UTC',
  CASE WHEN is_paused THEN listed.pause_reason END,
  CASE WHEN is_paused THEN listed.paused_by END,
  listed.set_by,
  (SELECT coalesce(sum(jobs), 0) FROM held
    WHERE lane = listed.name OR starts_with(lane, listed.name || ':'))::bigint,
  (SELECT coalesce(sum(jobs), 0) FROM behind
    WHERE lane = listed.name OR starts_with(lane, listed.name || ':'))::bigint
FROM listed
LEFT JOIN leasehold.lane_states(ARRAY (SELECT name FROM listed), 0, %(skew)s + now()) AS state
  ON state.lane = listed.name
ORDER BY listed.name
