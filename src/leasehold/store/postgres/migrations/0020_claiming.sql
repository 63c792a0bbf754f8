-- serves code from 1
-- Claims in SQL alone, for workers that are not ours. Ours claim many at once, by statements of their own.

-- Moves jobs that are due to where they can be claimed, as `promote` does: scheduled_due.
CREATE FUNCTION leasehold.promote_due(most integer)
RETURNS bigint
LANGUAGE sql
VOLATILE
AS $$
  WITH due AS (
    DELETE FROM leasehold.scheduled
    WHERE ctid = ANY (ARRAY (
      SELECT ctid
      FROM leasehold.scheduled
      WHERE run_at <= clock_timestamp()
      ORDER BY run_at
      LIMIT most
      FOR UPDATE SKIP LOCKED
    ))
    RETURNING job_id, queue, priority, created_at, attempt, failures, lapses, kind, tenant, lane, batch
  ),
  moved AS (
    INSERT INTO leasehold.ready (job_id, queue, is_suspect, priority, created_at, attempt, failures,
      lapses, kind, tenant, batch)
    SELECT job_id, queue, lapses > 0, priority, created_at, attempt, failures, lapses, kind, tenant, batch
    FROM due
    WHERE lane IS NULL
  ),
  moved_in_lane AS (
    INSERT INTO leasehold.waiting (job_id, queue, stage, priority, created_at, attempt, failures,
      lapses, kind, tenant, share, lane, cost, batch)
    SELECT due.job_id, due.queue, CASE WHEN due.lapses > 0 THEN '!' ELSE '' END, due.priority,
      due.created_at, due.attempt, due.failures, due.lapses, due.kind, due.tenant,
      coalesce(job.share, ''), due.lane, job.cost, due.batch
    FROM due
    CROSS JOIN LATERAL (
      SELECT share, cost FROM leasehold.job WHERE job.id = due.job_id OFFSET 0
    ) AS job
    WHERE due.lane IS NOT NULL
  )
  SELECT count(*) FROM due
$$;

-- Lists where jobs of these kinds could be claimed, the best place first: no suspects before others, then
-- by priority, then tenants of whom least runs. Lanes by skipping from one to the next (waiting_place), the
-- first 1,000 of a queue; of ready and parked the first job of each queue. Locks nothing.
CREATE FUNCTION leasehold.claimable(queues text[], kinds text[])
RETURNS TABLE (queue text, place text, stage text)
LANGUAGE sql
STABLE
SET jit = off
SET enable_seqscan = off
AS $$
  WITH RECURSIVE lane (number, queue, place, stage, priority, is_suspect, tenant, created_at) AS (
    SELECT 1, asked.queue, first.place, first.stage, first.priority, first.is_suspect, first.tenant,
      first.created_at
    FROM unnest(queues) AS asked (queue)
    CROSS JOIN LATERAL (
      SELECT w.place, w.stage, w.priority, w.lapses > 0 AS is_suspect, w.tenant, w.created_at
      FROM leasehold.waiting AS w
      WHERE w.place >= asked.queue || E'\x1f'
        AND w.place < asked.queue || E'\x20'
      ORDER BY w.place, w.created_at
      LIMIT 1
    ) AS first
    UNION ALL
    SELECT lane.number + 1, lane.queue, following.*
    FROM lane
    CROSS JOIN LATERAL (
      SELECT w.place, w.stage, w.priority, w.lapses > 0, w.tenant, w.created_at
      FROM leasehold.waiting AS w
      WHERE w.place > lane.place
        AND w.place < lane.queue || E'\x20'
      ORDER BY w.place, w.created_at
      LIMIT 1
    ) AS following
    WHERE lane.number < 1000
  ),
  found AS (
    SELECT lane.queue, lane.place, lane.stage, lane.priority, lane.is_suspect, lane.tenant, lane.created_at
    FROM lane
    WHERE lane.stage <> '#' -- behind another job
      AND (left(lane.stage, 1) <> '=' OR substr(lane.stage, 2) = ANY (kinds))
    UNION ALL
    SELECT asked.queue, NULL, 'ready', first.*
    FROM unnest(queues) AS asked (queue)
    CROSS JOIN LATERAL (
      SELECT r.priority, r.is_suspect, r.tenant, r.created_at
      FROM leasehold.ready AS r
      WHERE r.queue = asked.queue
        AND r.kind = ANY (kinds)
      ORDER BY r.is_suspect, r.priority DESC, r.created_at, r.job_id
      LIMIT 1
    ) AS first
    UNION ALL
    SELECT asked.queue, NULL, 'parked', first.*
    FROM unnest(queues) AS asked (queue)
    CROSS JOIN LATERAL (
      SELECT p.priority, p.lapses > 0, p.tenant, p.created_at
      FROM leasehold.parked AS p
      WHERE p.queue = asked.queue
        AND p.kind = ANY (kinds)
      ORDER BY p.lapses > 0, p.priority DESC, p.created_at, p.job_id
      LIMIT 1
    ) AS first
  ),
  held AS (
    SELECT lease.tenant, count(*) AS running FROM leasehold.lease GROUP BY lease.tenant
  )
  SELECT found.queue, found.place, found.stage
  FROM found
  LEFT JOIN held ON held.tenant = found.tenant
  ORDER BY found.is_suspect, found.priority DESC, coalesce(held.running, 0), found.created_at
$$;

-- Takes the first job of a queue from ready, or from parked, for one worker only: what is locked is
-- skipped. Tenants with a quota are counted elsewhere. ready_order, parked_order.
CREATE FUNCTION leasehold.take_first(source text, asked text, kinds text[], who bigint, lease_seconds real,
  gate text)
RETURNS uuid
LANGUAGE plpgsql
AS $$
#variable_conflict use_variable
DECLARE
  taken record;
BEGIN
  IF source = 'ready' THEN
    DELETE FROM leasehold.ready AS gone
    WHERE gone.ctid = ANY (ARRAY (
      SELECT r.ctid
      FROM leasehold.ready AS r
      WHERE r.queue = asked
        AND r.kind = ANY (kinds)
        AND r.tenant <> ALL (ARRAY (SELECT q.tenant FROM leasehold.quota AS q WHERE q.running IS NOT NULL))
      ORDER BY r.is_suspect, r.priority DESC, r.created_at, r.job_id
      LIMIT 1
      FOR UPDATE SKIP LOCKED))
    RETURNING gone.job_id, gone.attempt, gone.failures, gone.lapses, gone.priority, gone.tenant, gone.batch
    INTO taken;
  ELSE
    DELETE FROM leasehold.parked AS gone
    WHERE gone.ctid = ANY (ARRAY (
      SELECT p.ctid
      FROM leasehold.parked AS p
      WHERE p.queue = asked
        AND p.kind = ANY (kinds)
        AND p.tenant <> ALL (ARRAY (SELECT q.tenant FROM leasehold.quota AS q WHERE q.running IS NOT NULL))
      ORDER BY p.lapses > 0, p.priority DESC, p.created_at, p.job_id
      LIMIT 1
      FOR UPDATE SKIP LOCKED))
    RETURNING gone.job_id, gone.attempt, gone.failures, gone.lapses, gone.priority, gone.tenant, gone.batch
    INTO taken;
  END IF;
  IF taken.job_id IS NOT NULL THEN
    INSERT INTO leasehold.lease (job_id, fence, worker, claimed_at, until, lease_seconds, attempt,
      failures, lapses, priority, tenant, batch, gate)
    VALUES (taken.job_id, nextval('leasehold.fence'), who, clock_timestamp(),
      clock_timestamp() + make_interval(secs => lease_seconds), lease_seconds, taken.attempt + 1,
      taken.failures, taken.lapses, taken.priority, taken.tenant, taken.batch, gate);
  END IF;
  RETURN taken.job_id;
END
$$;

-- One job of these kinds for a worker that is not ours; no row: there is nothing to do now. The job is
-- leased to that worker for so long and not again in the meantime, and comes back when nobody has settled
-- it by then: SELECT leasehold.settle(job_id, fence, worker_id, result). All limits, pauses, quotas and
-- turns hold for it. Needs READ COMMITTED, and a transaction that commits at once.
CREATE FUNCTION leasehold.claim_next(worker text, lease interval, queues text[], kinds text[])
RETURNS TABLE (job_id uuid, fence bigint, worker_id bigint, until timestamptz)
LANGUAGE plpgsql
SET jit = off
SET enable_seqscan = off
AS $$
#variable_conflict use_variable
DECLARE
  seconds real := extract(epoch FROM lease);
  -- By its name: who comes again is the same worker. Without queues, so that none of ours leaves it a turn.
  who     bigint := hashtextextended(worker, 0) & 9223372036854775807;
  leases  jsonb := (SELECT jsonb_object_agg(each, seconds) FROM unnest(kinds) AS each);
  found   record;
  gate    text;
  chosen  uuid;
  is_suspect boolean;
BEGIN
  IF coalesce(worker, '') = '' OR seconds IS NULL OR seconds <= 0 THEN
    RAISE EXCEPTION 'leasehold.claim_next: a worker needs a name, and its lease a time';
  END IF;
  INSERT INTO leasehold.worker AS known (id, name, queues, kinds, slots, version, started_at, seen_at)
  VALUES (who, worker, '{}', kinds, 1, 'sql', clock_timestamp(), clock_timestamp())
  ON CONFLICT (id) DO UPDATE
  SET seen_at = excluded.seen_at,
    ended_at = NULL;
  PERFORM leasehold.promote_due(100);
  FOR round IN 1..2 LOOP -- in the first one, jobs of tenants with a quota may be set aside
    PERFORM leasehold.hold_tenants(1000);
    FOR found IN SELECT * FROM leasehold.claimable(queues, kinds) LOOP
      gate := (SELECT q.name FROM leasehold.queue AS q
        WHERE q.name = found.queue AND q.running_limit IS NOT NULL);
      IF found.place IS NOT NULL THEN
        FOREACH is_suspect IN ARRAY ARRAY[false, true] LOOP -- stages of kinds and tenants have both
          chosen := coalesce(chosen, (
            SELECT claimed.job_id
            FROM leasehold.claim_lanes(ARRAY[found.place], ARRAY[1], 1, leases, who, '0', is_suspect,
              NULL, kinds, gate,
              CASE WHEN left(found.stage, 1) = '@' THEN substr(found.stage, 2) END) AS claimed));
          EXIT WHEN chosen IS NOT NULL OR left(found.stage, 1) NOT IN ('=', '@');
        END LOOP;
      ELSIF NOT EXISTS (SELECT FROM leasehold.queue AS q
          WHERE q.name = found.queue AND q.paused_until > clock_timestamp())
        AND (gate IS NULL OR leasehold.queue_room(gate, 1) > 0) THEN
        chosen := leasehold.take_first(found.stage, found.queue, kinds, who, seconds, gate);
      END IF;
      IF chosen IS NOT NULL THEN
        RETURN QUERY
        SELECT l.job_id, l.fence, l.worker, l.until FROM leasehold.lease AS l WHERE l.job_id = chosen;
        RETURN;
      END IF;
    END LOOP;
  END LOOP;
END
$$;
