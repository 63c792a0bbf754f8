-- Lists what is said of rules, and of keys with limits of their own or a pause, and how many jobs of each
-- run and wait; those of a rule are those of its keys. Reads the throttled leases and all that waits. For
-- a tenant: what it has for itself, and of a rule only what is its own.
WITH held AS MATERIALIZED (
  SELECT lane, count(*) AS jobs
  FROM leasehold.lease
  WHERE lane <> ''
    AND NOT shares_slot
  GROUP BY lane
),
behind AS MATERIALIZED (
  SELECT lane, count(*) AS jobs
  FROM leasehold.waiting
  WHERE lane <> ''
  GROUP BY lane
),
listed AS MATERIALIZED (
  SELECT *, paused_until > %(skew)s + now() AS is_paused,
    CASE
      WHEN name LIKE '@%%' AND name NOT LIKE '%%:%%' THEN coalesce(leasehold.own_lane(name, %(tenant)s), name)
      ELSE name
    END AS lane
  FROM leasehold.throttle
  WHERE name NOT LIKE '%%:%%'
     OR coalesce(running, per_worker) IS NOT NULL
     OR rate IS NOT NULL
     OR paused_until > %(skew)s + now()
),
told AS MATERIALIZED (
  SELECT *
  FROM listed
  WHERE CASE
    WHEN %(tenant)s::text IS NOT NULL
      THEN leasehold.lane_tenant(lane) = %(tenant)s AND tenant IN ('', %(tenant)s)
    ELSE tenant IN ('', leasehold.lane_tenant(lane)) -- what others say of it counts for nothing
  END
)
SELECT told.name, told.tenant, told.running, told.per_worker, told.rate, told.burst, state.tokens,
  CASE WHEN is_paused THEN least(told.paused_until, '9999-12-31 23:59:59.999999+00') END AT TIME ZONE 'UTC',
  CASE WHEN is_paused THEN told.pause_reason END,
  CASE WHEN is_paused THEN told.paused_by END,
  told.set_by,
  (SELECT coalesce(sum(jobs), 0) FROM held
    WHERE lane = told.lane OR starts_with(lane, told.lane || ':')
      OR told.lane LIKE E'%%\x1e' AND starts_with(lane, told.lane))::bigint,
  (SELECT coalesce(sum(jobs), 0) FROM behind
    WHERE lane = told.lane OR starts_with(lane, told.lane || ':')
      OR told.lane LIKE E'%%\x1e' AND starts_with(lane, told.lane))::bigint
FROM told
LEFT JOIN leasehold.lane_states(
  ARRAY (SELECT DISTINCT lane FROM told), 0, %(skew)s + now()
) AS state ON state.lane = told.lane
