-- All that a reason not to run may rest on, of one job at one moment: primary keys, the small tables of
-- workers and leases; ready_order and waiting_place for those before it, counted up to a limit.
WITH RECURSIVE moment AS MATERIALIZED (
  SELECT %(skew)s + now() AS moment
),
stand AS MATERIALIZED (
  SELECT record.id, record.tenant, record.queue, record.kind, record.state, record.priority, record.attempt,
    record.failures, record.lapses, record.max_attempts, record.run_at, record.created_at,
    record.finished_at, record.error, record.key, record.lane, record.share, record.cost,
    coalesce(record.worker_name, record.worker::text) AS worker, record.claimed_at,
    record.lease_until, record.cancel_requested, lease.cancelled_by, waiting.stage,
    waiting.place AS place_in_lane, ready.is_suspect,
    CASE
      WHEN lease.job_id IS NOT NULL THEN 'lease'
      WHEN ready.job_id IS NOT NULL THEN 'ready'
      WHEN waiting.job_id IS NOT NULL THEN 'waiting'
      WHEN parked.job_id IS NOT NULL THEN 'parked'
      WHEN scheduled.job_id IS NOT NULL THEN 'scheduled'
      ELSE 'outcome'
    END AS place
  FROM leasehold.record
  LEFT JOIN leasehold.lease ON lease.job_id = record.id
  LEFT JOIN leasehold.ready ON ready.job_id = record.id
  LEFT JOIN leasehold.waiting ON waiting.job_id = record.id
  LEFT JOIN leasehold.parked ON parked.job_id = record.id
  LEFT JOIN leasehold.scheduled ON scheduled.job_id = record.id
  WHERE record.id = %(job_id)s
),
living AS MATERIALIZED ( -- as beat.sql has it
  SELECT worker.id, worker.slots, worker.queues, stand.queue = ANY (worker.queues) AS serves,
    stand.queue = ANY (worker.queues) AND stand.kind = ANY (worker.kinds) AS knows
  FROM leasehold.worker
  CROSS JOIN stand
  CROSS JOIN moment
  WHERE worker.ended_at IS NULL
    AND worker.seen_at > moment.moment - make_interval(secs => %(living_seconds)s)
),
fleet AS (
  SELECT count(*) AS alive,
    count(*) FILTER (WHERE serves) AS serving,
    count(*) FILTER (WHERE knows) AS knowing,
    coalesce(sum(slots) FILTER (WHERE knows), 0) AS slots,
    coalesce(sum(least(slots, coalesce(held.leases, 0))) FILTER (WHERE knows), 0)
      AS busy -- jobs that were claimed ahead of their turn are in no slot yet
  FROM living
  LEFT JOIN (SELECT worker, count(*) AS leases FROM leasehold.lease GROUP BY worker) AS held
    ON held.worker = living.id
),
lane AS ( -- what a claim goes by, for the worker with the most room: a limit may be each one's own
  SELECT state.is_known, state.running, state.room, state.rate, state.burst, state.tokens
  FROM stand
  CROSS JOIN moment
  CROSS JOIN (
    SELECT id FROM living WHERE knows
    UNION ALL
    SELECT 0 WHERE NOT EXISTS (SELECT FROM living WHERE knows)
  ) AS asking
  CROSS JOIN LATERAL leasehold.lane_states(ARRAY[stand.lane], asking.id, moment.moment) AS state
  WHERE stand.lane <> ''
    AND stand.place IN ('waiting', 'scheduled')
  ORDER BY state.room DESC
  LIMIT 1
),
rule AS MATERIALIZED ( -- the longest name is the closest: a key, all of a tenant's keys, their rule
  SELECT throttle.name, throttle.tenant, throttle.running, throttle.per_worker, throttle.paused_until,
    throttle.pause_reason, throttle.paused_by, length(throttle.name) AS closeness
  FROM stand
  JOIN leasehold.throttle ON throttle.name IN (
    stand.lane, left(stand.lane, strpos(stand.lane, E'\x1e')), split_part(stand.lane, ':', 1))
  WHERE stand.lane <> ''
    AND throttle.tenant IN ('', leasehold.lane_tenant(stand.lane))
),
halt AS (
  SELECT rule.*
  FROM rule
  CROSS JOIN moment
  WHERE rule.paused_until > moment.moment
  ORDER BY rule.paused_until DESC, rule.closeness DESC
  LIMIT 1
),
head AS ( -- of the places of all shares that take turns with this one
  SELECT concat_ws(E'\x1f', split_part(place_in_lane, E'\x1f', 1), split_part(place_in_lane, E'\x1f', 2),
    split_part(place_in_lane, E'\x1f', 3)) COLLATE "C" AS head
  FROM stand
  WHERE share <> ''
    AND place_in_lane IS NOT NULL
),
party (number, party, upto) AS ( -- by skipping from one to the next
  SELECT 1, first.party, head.head || E'\x20'
  FROM head
  CROSS JOIN LATERAL (
    SELECT left(waiting.place, -1 - length(waiting.lane)) AS party
    FROM leasehold.waiting
    WHERE waiting.place >= head.head || E'\x1f'
      AND waiting.place < head.head || E'\x20'
    ORDER BY waiting.place
    LIMIT 1
  ) AS first
  UNION ALL
  SELECT party.number + 1, following.party, party.upto
  FROM party
  CROSS JOIN LATERAL (
    SELECT left(waiting.place, -1 - length(waiting.lane)) AS party
    FROM leasehold.waiting
    WHERE waiting.place >= party.party || E'\x20'
      AND waiting.place < party.upto
    ORDER BY waiting.place
    LIMIT 1
  ) AS following
  WHERE party.number <= %(most)s
),
before AS ( -- each in the order of its index, which ends the count where the limit does
  SELECT count(*) AS jobs
  FROM (
    SELECT higher.job_id
    FROM stand
    CROSS JOIN LATERAL (
      SELECT ready.job_id
      FROM leasehold.ready
      WHERE ready.queue = stand.queue
        AND ready.is_suspect = stand.is_suspect
        AND ready.priority > stand.priority
      ORDER BY ready.priority DESC, ready.created_at, ready.job_id
      LIMIT %(most)s
    ) AS higher
    UNION ALL
    SELECT older.job_id
    FROM stand
    CROSS JOIN LATERAL (
      SELECT ready.job_id
      FROM leasehold.ready
      WHERE ready.queue = stand.queue
        AND ready.is_suspect = stand.is_suspect
        AND ready.priority = stand.priority
        AND (ready.created_at, ready.job_id) < (stand.created_at, stand.id)
      ORDER BY ready.created_at, ready.job_id
      LIMIT %(most)s
    ) AS older
    UNION ALL
    SELECT older.job_id
    FROM stand
    CROSS JOIN LATERAL (
      SELECT waiting.job_id
      FROM leasehold.waiting
      WHERE waiting.place = stand.place_in_lane
        AND (waiting.created_at, waiting.job_id) < (stand.created_at, stand.id)
      ORDER BY waiting.created_at, waiting.job_id
      LIMIT %(most)s
    ) AS older
    LIMIT %(most)s
  ) AS job
)
SELECT stand.id AS job_id, moment.moment, stand.place, stand.state, stand.queue, stand.kind,
  stand.priority, stand.attempt, stand.failures, stand.lapses, stand.max_attempts, stand.run_at,
  stand.finished_at, stand.error, stand.worker, stand.claimed_at, stand.lease_until,
  stand.cancel_requested, stand.cancelled_by, stand.cost, stand.key,
  (
    SELECT held.job_id
    FROM leasehold.key AS held
    WHERE held.tenant = stand.tenant
      AND held.key = stand.key
      AND held.next = stand.id
  ) AS behind,
  (
    SELECT jsonb_build_object(
      'any', coalesce((job.needs ->> 'any')::boolean, false),
      'even_if_failed', coalesce((job.needs ->> 'even_if_failed')::boolean, false),
      'states', (
        SELECT jsonb_agg(jsonb_build_array(needed.id, coalesce(other.state, 'gone')) ORDER BY needed.number)
        FROM json_array_elements_text(job.needs -> 'jobs') WITH ORDINALITY AS needed (id, number)
        LEFT JOIN LATERAL (
          SELECT state
          FROM leasehold.record
          WHERE record.id = needed.id::uuid
            AND record.tenant = stand.tenant
          OFFSET 0
        ) AS other ON true
      ))
    FROM leasehold.job
    WHERE job.id = stand.id
      AND stand.stage = '#'
      AND job.needs IS NOT NULL
  ) AS needs,
  coalesce(stand.stage, '') AS stage, coalesce(stand.share, '') AS share,
  (
    SELECT outcome.state::text
    FROM leasehold.outcome
    WHERE outcome.job_id = stand.id
    ORDER BY outcome.attempt DESC
    LIMIT 1
  ) AS last_outcome,
  fleet.alive, fleet.serving, fleet.knowing, fleet.slots, fleet.busy,
  ARRAY (SELECT DISTINCT unnest(queues) FROM living ORDER BY 1 LIMIT 10) AS queues,
  queue.paused_until > moment.moment AS is_queue_paused,
  CASE WHEN queue.paused_until < '9999-12-31' THEN queue.paused_until END AS queue_until,
  queue.pause_reason AS queue_reason,
  queue.paused_by AS queue_by,
  queue.running_limit AS queue_limit,
  CASE
    WHEN queue.running_limit IS NULL THEN 0
    ELSE (SELECT count(*) FROM leasehold.lease WHERE lease.gate = stand.queue)
  END AS queue_running,
  stand.tenant, quota.running AS tenant_limit,
  CASE
    WHEN quota.running IS NULL THEN 0
    ELSE (
      SELECT count(*) FROM leasehold.lease WHERE lease.tenant = stand.tenant
    )
  END AS tenant_running,
  stand.lane, lane.is_known, lane.running, lane.room, lane.rate, lane.burst, lane.tokens,
  least(
    (
      SELECT running
      FROM rule
      WHERE running IS NOT NULL AND tenant = ''
      ORDER BY closeness DESC
      LIMIT 1
    ),
    (SELECT min(running) FROM rule WHERE tenant <> '')
  ) AS running_limit,
  (
    SELECT per_worker
    FROM rule
    WHERE per_worker IS NOT NULL AND tenant = ''
    ORDER BY closeness DESC
    LIMIT 1
  ) AS per_worker,
  halt.name AS halted,
  CASE WHEN halt.paused_until < '9999-12-31' THEN halt.paused_until END AS halted_until,
  halt.pause_reason AS halted_reason,
  halt.paused_by AS halted_by,
  halt.tenant <> '' AS halted_by_tenant,
  ARRAY (
    SELECT lease.job_id
    FROM leasehold.lease
    WHERE lease.lane = stand.lane
      AND lease.lane <> '' -- the index is on these
      AND NOT lease.shares_slot
    ORDER BY lease.claimed_at, lease.job_id
    LIMIT 5
  ) AS lane_jobs,
  before.jobs AS before,
  (
    SELECT ready.priority
    FROM leasehold.ready
    WHERE ready.queue = stand.queue
      AND ready.is_suspect = stand.is_suspect
    ORDER BY ready.priority DESC
    LIMIT 1
  ) AS top_priority,
  (
    SELECT count(*)
    FROM party
    WHERE party.party <> left(stand.place_in_lane, -1 - length(stand.lane))
  ) AS shares
FROM stand
CROSS JOIN moment
CROSS JOIN fleet
CROSS JOIN before
LEFT JOIN lane ON true
LEFT JOIN halt ON true
LEFT JOIN leasehold.queue ON queue.name = stand.queue
LEFT JOIN leasehold.quota ON quota.tenant = stand.tenant
