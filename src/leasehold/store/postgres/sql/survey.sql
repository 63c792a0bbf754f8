-- Says whether there is anything to do for a worker, and when the next scheduled job is due or the next
-- queue goes on. An idle worker asks this, and nothing else, each second: ready_order, parked_order,
-- waiting_place, scheduled_due, key_next, schedule_next, dependent, batch_open; lease_gate for queues
-- with a limit. A queue that is paused or full has nothing.
WITH mine AS MATERIALIZED (
  SELECT asked.queue, said.paused_until, said.aging_seconds, said.room
  FROM unnest(%(queues)s::text[]) AS asked (queue)
  LEFT JOIN LATERAL (
    SELECT paused_until, aging_seconds,
      CASE
        WHEN running_limit IS NOT NULL
          THEN running_limit - (
            SELECT count(*)
            FROM (
              SELECT FROM leasehold.lease WHERE lease.gate = queue.name LIMIT queue.running_limit
            ) AS held
          )
      END AS room
    FROM leasehold.queue
    WHERE queue.name = asked.queue
    OFFSET 0
  ) AS said ON true
),
wanted AS MATERIALIZED (
  SELECT queue
  FROM mine
  WHERE (paused_until IS NULL OR paused_until <= %(skew)s + now())
    AND room IS DISTINCT FROM 0
)
SELECT
  EXISTS (
    SELECT
    FROM wanted
    CROSS JOIN LATERAL (
      SELECT FROM leasehold.ready WHERE ready.queue = wanted.queue AND NOT is_suspect LIMIT 1
    ) AS found
  ),
  EXISTS (
    SELECT
    FROM wanted
    CROSS JOIN LATERAL (
      SELECT FROM leasehold.ready WHERE ready.queue = wanted.queue AND is_suspect LIMIT 1
    ) AS found
  ),
  EXISTS (
    SELECT
    FROM unnest(%(kinds)s::text[]) AS known (kind)
    CROSS JOIN wanted
    CROSS JOIN LATERAL (
      SELECT
      FROM leasehold.parked
      WHERE parked.kind = known.kind
        AND parked.queue = wanted.queue
      LIMIT 1
    ) AS found
  ) OR EXISTS (
    SELECT
    FROM wanted
    CROSS JOIN LATERAL ( -- seldom are there any: only then it is worth a look for each kind
      SELECT
      FROM leasehold.waiting
      WHERE waiting.place >= wanted.queue || E'\x1f='
        AND waiting.place < wanted.queue || E'\x1f>'
      LIMIT 1
    ) AS any_kind
    CROSS JOIN unnest(%(kinds)s::text[]) AS known (kind)
    CROSS JOIN LATERAL (
      SELECT
      FROM leasehold.waiting
      WHERE waiting.place >= wanted.queue || E'\x1f=' || known.kind || E'\x1f'
        AND waiting.place < wanted.queue || E'\x1f=' || known.kind || E'\x20'
      LIMIT 1
    ) AS found
  ),
  least(
    (
      SELECT extract(epoch FROM run_at - (%(skew)s + now()))::double precision
      FROM leasehold.scheduled
      ORDER BY run_at
      LIMIT 1
    ),
    (
      SELECT extract(epoch FROM min(paused_until) - (%(skew)s + now()))::double precision
      FROM mine
      WHERE paused_until > %(skew)s + now()
        AND isfinite(paused_until)
    )
  ),
  EXISTS (
    SELECT
    FROM wanted
    CROSS JOIN LATERAL ( -- any stage but '#': those wait for another job, not for their lane
      (
        SELECT
        FROM leasehold.waiting
        WHERE waiting.place >= wanted.queue || E'\x1f'
          AND waiting.place < wanted.queue || E'\x1f#'
        LIMIT 1
      )
      UNION ALL
      (
        SELECT
        FROM leasehold.waiting
        WHERE waiting.place >= wanted.queue || E'\x1f$'
          AND waiting.place < wanted.queue || E'\x20'
        LIMIT 1
      )
    ) AS found
  ),
  coalesce(
    (SELECT jsonb_object_agg(queue, aging_seconds) FROM mine WHERE aging_seconds IS NOT NULL), '{}'),
  EXISTS (SELECT FROM leasehold.key WHERE key.next IS NOT NULL),
  (
    SELECT extract(epoch FROM next_at - (%(skew)s + now()))::double precision
    FROM leasehold.schedule
    WHERE paused_at IS NULL
      AND next_at IS NOT NULL
    ORDER BY next_at
    LIMIT 1
  ),
  EXISTS (SELECT FROM leasehold.dependent),
  EXISTS (SELECT FROM leasehold.batch WHERE batch.ended_at IS NULL),
  coalesce((SELECT jsonb_object_agg(queue, room) FROM mine WHERE room IS NOT NULL), '{}')
