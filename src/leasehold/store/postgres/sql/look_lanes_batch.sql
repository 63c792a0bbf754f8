-- Lists the lanes in which a batch has jobs, open or not, of these queues and stages: index
-- waiting_batch. Takes and locks nothing. A paused queue's lanes are closed until it goes on.
WITH found AS MATERIALIZED (
  SELECT DISTINCT ON (place) place, lane, share, queue, created_at, coalesce(cost, 1) AS cost
  FROM leasehold.waiting
  WHERE batch = %(batch)s
    AND queue || E'\x1f' || CASE WHEN stage LIKE '@%%' THEN '@' ELSE stage END = ANY (%(heads)s::text[])
  ORDER BY place, created_at, job_id
),
told AS MATERIALIZED (
  SELECT found.place, found.share, found.created_at, found.cost, found.lane, state.running, state.room,
    state.rate, state.tokens, least(found.cost, state.burst) AS needed,
    CASE
      WHEN split_part(found.place, E'\x1f', 2) LIKE '@%%' -- what its tenant's quota leaves
        THEN (
          SELECT quota.running - (
            SELECT count(*)
            FROM (
              SELECT
              FROM leasehold.lease
              WHERE lease.holder = quota.tenant
              LIMIT quota.running
            ) AS held
          )
          FROM leasehold.quota
          WHERE quota.tenant = substr(split_part(found.place, E'\x1f', 2), 2)
        )
    END AS tenant_room,
    greatest(said.paused_until, state.paused_until) AS paused_until
  FROM found
  LEFT JOIN LATERAL (
    SELECT paused_until FROM leasehold.queue WHERE queue.name = found.queue OFFSET 0
  ) AS said ON true
  LEFT JOIN leasehold.lane_states(
    ARRAY (SELECT DISTINCT lane FROM found WHERE lane <> ''), %(worker)s, %(skew)s + now()
  ) AS state ON state.lane = found.lane
)
SELECT told.place,
  extract(epoch FROM %(skew)s + now() - told.created_at)::double precision,
  coalesce(share.weight, 1),
  CASE
    WHEN told.paused_until > %(skew)s + now() OR told.tenant_room = 0 THEN 0
    WHEN told.lane = '' THEN 2147483647
    WHEN told.rate IS NULL OR told.cost = 0 THEN told.room
    WHEN told.tokens < told.needed THEN 0
    ELSE least(told.room, greatest(1, floor(told.tokens / told.cost))) -- as many as its first
  END::bigint,
  CASE
    WHEN told.paused_until > %(skew)s + now()
      THEN CASE
        WHEN isfinite(told.paused_until)
          THEN extract(epoch FROM told.paused_until - (%(skew)s + now()))
      END
    WHEN told.tokens < told.needed AND told.room > 0 THEN (told.needed - told.tokens) / told.rate
  END::double precision,
  least(told.running + told.room, 2147483647) -- NULL, without a throttle, is least of nothing
FROM told
LEFT JOIN LATERAL (
  SELECT weight FROM leasehold.share WHERE share.name = told.share OFFSET 0
) AS share ON true
ORDER BY told.place
