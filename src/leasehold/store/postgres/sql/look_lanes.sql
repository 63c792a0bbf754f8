-- Lists lanes with work, open or not, by skipping from one to the next (index waiting_place): of each
-- look so many parties after a cursor, of each party so many lanes after another. Takes and locks
-- nothing. A paused queue's lanes are closed until it goes on.
WITH RECURSIVE look AS MATERIALIZED (
  SELECT asked.after, asked.upto, said.paused_until
  FROM unnest(%(queues)s::text[], %(afters)s::text[], %(uptos)s::text[])
    AS asked (queue, after, upto)
  LEFT JOIN LATERAL (
    SELECT paused_until
    FROM leasehold.queue
    WHERE queue.name = asked.queue
      AND queue.paused_until > %(skew)s + now()
    OFFSET 0
  ) AS said ON true
),
party (number, party, upto, paused_until) AS (
  SELECT 1, first.party, look.upto COLLATE "C", look.paused_until
  FROM look
  CROSS JOIN LATERAL (
    SELECT left(waiting.place, -1 - length(waiting.lane)) AS party
    FROM leasehold.waiting
    WHERE waiting.place >= look.after
      AND waiting.place < look.upto
    ORDER BY waiting.place
    LIMIT 1
  ) AS first
  UNION ALL
  SELECT party.number + 1, following.party, party.upto, party.paused_until
  FROM party
  CROSS JOIN LATERAL (
    SELECT left(waiting.place, -1 - length(waiting.lane)) AS party
    FROM leasehold.waiting
    WHERE waiting.place >= party.party || E'\x20' -- sorts after the separator: past all its lanes
      AND waiting.place < party.upto
    ORDER BY waiting.place
    LIMIT 1
  ) AS following
  WHERE party.number < %(parties)s
),
found AS MATERIALIZED (
  SELECT lane.place, lane.lane, lane.share, lane.created_at, coalesce(lane.cost, 1) AS cost,
    party.paused_until
  FROM party
  CROSS JOIN LATERAL (
    WITH RECURSIVE next (place, lane, share, created_at, cost) AS (
      (
        SELECT waiting.place, waiting.lane, waiting.share, waiting.created_at, waiting.cost
        FROM leasehold.waiting
        WHERE waiting.place > coalesce(%(pages)s::jsonb ->> party.party, party.party)
          AND waiting.place < party.party || E'\x20'
        ORDER BY waiting.place, waiting.created_at
        LIMIT 1
      )
      UNION ALL
      SELECT following.*
      FROM next
      CROSS JOIN LATERAL (
        SELECT waiting.place, waiting.lane, waiting.share, waiting.created_at, waiting.cost
        FROM leasehold.waiting
        WHERE waiting.place > next.place
          AND waiting.place < party.party || E'\x20'
        ORDER BY waiting.place, waiting.created_at
        LIMIT 1
      ) AS following
    )
    SELECT * FROM next LIMIT %(page)s
  ) AS lane
),
told AS (
  SELECT found.place, found.share, found.created_at, found.cost, found.lane, state.running, state.room,
    state.rate, state.burst, state.tokens, least(found.cost, state.burst) AS needed,
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
    greatest(found.paused_until, state.paused_until) AS paused_until
  FROM found
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
