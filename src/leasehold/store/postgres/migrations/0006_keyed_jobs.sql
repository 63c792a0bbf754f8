-- serves code from 1
-- Enqueueing jobs with keys, and handing keys over.

-- Writes jobs that were accepted, and names those whose ids stood there already; those in `behind`
-- wait for the job that runs under their key: in waiting, at a stage that no claim asks for.
CREATE FUNCTION leasehold.write_accepted(accepted jsonb[], behind uuid[], moment timestamptz)
RETURNS TABLE (asked uuid, standing uuid, verdict text, other uuid, until timestamptz)
LANGUAGE plpgsql
AS $$
BEGIN
  IF cardinality(accepted) > 0 THEN
    RETURN QUERY
    SELECT same.existing, same.existing, 'same', NULL::uuid, NULL::timestamptz
    FROM leasehold.enqueue_missing(to_jsonb(accepted), moment) AS same;
  END IF;
  IF cardinality(behind) > 0 THEN
    UPDATE leasehold.waiting SET stage = '#' WHERE job_id = ANY (behind);
    WITH ready AS (
      DELETE FROM leasehold.ready
      WHERE job_id = ANY (behind)
      RETURNING job_id, created_at, priority, queue, kind, tenant, batch
    ),
    scheduled AS (
      DELETE FROM leasehold.scheduled
      WHERE job_id = ANY (behind)
      RETURNING job_id, created_at, priority, queue, kind, tenant, batch
    )
    INSERT INTO leasehold.waiting (job_id, created_at, priority, queue, kind, tenant, batch, stage)
    SELECT *, '#' FROM ready
    UNION ALL
    SELECT *, '#' FROM scheduled;
  END IF;
END
$$;

-- A job of a series that began then, its time no later than the longest wait allows.
CREATE FUNCTION leasehold.bound_wait(document jsonb, series_at timestamptz, moment timestamptz)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT CASE
    WHEN document -> 'unique' -> 'max_wait_seconds' IS NULL THEN document
    ELSE document - 'delay_seconds' || jsonb_build_object('run_at', least(
      series_at + make_interval(secs => (document -> 'unique' ->> 'max_wait_seconds')::double precision),
      coalesce((document ->> 'run_at')::timestamptz, moment
        + make_interval(secs => coalesce((document ->> 'delay_seconds')::double precision, 0)))))
  END
$$;

-- Writes jobs under keys that nobody has, all of them or none; false: each is to be decided about. Nearly
-- always that is so for many at once, and then they are two statements, not four for each.
CREATE FUNCTION leasehold.enqueue_new_keys(documents jsonb, moment timestamptz)
RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  taken bigint;
BEGIN
  IF EXISTS (
    SELECT
    FROM jsonb_to_recordset(documents) AS asked (tenant text, "unique" jsonb)
    CROSS JOIN LATERAL jsonb_to_record(asked."unique")
      AS rule (key text, mode text, max_wait_seconds double precision)
    LEFT JOIN LATERAL ( -- OFFSET 0: a lookup for each, whatever the planner thinks of the table
      SELECT true AS is_there FROM leasehold.key AS k WHERE k.tenant = '' AND k.key = rule.key OFFSET 0
    ) AS held ON true
    WHERE held.is_there
      OR coalesce(asked.tenant, '') <> '' -- quotas are counted for each
      OR coalesce(rule.key, '') = ''
      OR coalesce(rule.mode, 'skip') <> 'skip'
      OR rule.max_wait_seconds IS NOT NULL
  ) THEN
    RETURN false;
  END IF;
  INSERT INTO leasehold.key (tenant, key, job_id, taken_at, series_at, memory_seconds)
  SELECT '', rule.key, asked.id, moment, moment,
    CASE
      WHEN rule.ever THEN 1e99
      ELSE greatest(rule.period_seconds, rule.cooldown_seconds, 0)
    END
  FROM jsonb_to_recordset(documents) AS asked (id uuid, "unique" jsonb)
  CROSS JOIN LATERAL jsonb_to_record(asked."unique")
    AS rule (key text, ever boolean, period_seconds double precision, cooldown_seconds double precision)
  ORDER BY rule.key -- everybody locks in one order
  ON CONFLICT (tenant, key) DO NOTHING;
  GET DIAGNOSTICS taken = ROW_COUNT;
  IF taken < jsonb_array_length(documents) THEN -- taken meanwhile, or asked for twice
    RAISE unique_violation;
  END IF;
  PERFORM leasehold.insert_jobs(documents, moment);
  RETURN true;
EXCEPTION
  WHEN unique_violation THEN -- an id or a key: told apart one by one, with none of these locks
    RETURN false;
END
$$;

-- Enqueues jobs of which some have a key: `"unique": {"key": …, "mode": …, "ever": …,
-- "period_seconds": …, "cooldown_seconds": …, "max_wait_seconds": …}`; model/keys.py says what is
-- decided. It may wait for a transaction that is still open and has enqueued under the same key: for
-- 5 s, unless lock_timeout says otherwise. One row for each job that was not simply written: the job
-- that stands, why, whose place it has or who runs before it, and until when.
CREATE FUNCTION leasehold.enqueue_keyed(jobs text, skew_seconds double precision DEFAULT 0)
RETURNS TABLE (asked uuid, standing uuid, verdict text, other uuid, until timestamptz)
LANGUAGE plpgsql
SET jit = off
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET enable_nestloop = on -- a worker's connection has none, and would read all jobs
AS $$
#variable_conflict use_column
DECLARE
  moment     timestamptz := clock_timestamp() + make_interval(secs => skew_seconds);
  documents  jsonb := jobs::jsonb;
  is_endless boolean := current_setting('lock_timeout') = '0';
  wanted     record;
  last_key   text[];
  held       leasehold.key;
  place      text;
  runs       boolean;
  successor  uuid;
  accepted   jsonb[] := '{}';
  behind     uuid[] := '{}';
BEGIN
  IF documents @? '$[*].batch' THEN -- batches are locked before keys
    PERFORM leasehold.join_batches(documents);
  END IF;
  IF documents @? '$[*] ? (@.tenant != "")' THEN
    PERFORM leasehold.lock_quotas(documents);
  END IF;
  IF is_endless THEN
    PERFORM set_config('lock_timeout', '5s', true);
  END IF;
  IF jsonb_array_length(documents) > 1 AND leasehold.enqueue_new_keys(documents, moment) THEN
    IF is_endless THEN
      PERFORM set_config('lock_timeout', '0', true);
    END IF;
    RETURN;
  END IF;
  FOR wanted IN
    SELECT document, (document ->> 'id')::uuid AS id, coalesce(document ->> 'tenant', '') AS tenant,
      nullif(document -> 'unique', 'null') AS rule, document -> 'unique' ->> 'key' AS key,
      coalesce(document -> 'unique' ->> 'mode', 'skip') AS mode,
      make_interval(secs => (document ->> 'delay_seconds')::double precision) AS delay,
      CASE
        WHEN (document -> 'unique' ->> 'ever')::boolean THEN 1e99
        ELSE greatest((document -> 'unique' ->> 'period_seconds')::double precision,
          (document -> 'unique' ->> 'cooldown_seconds')::double precision, 0)
      END AS memory_seconds
    FROM jsonb_array_elements(documents) WITH ORDINALITY AS listed (document, number)
    ORDER BY tenant, key, number -- everybody locks in one order
  LOOP
    IF wanted.rule IS NULL THEN
      accepted := accepted || wanted.document;
      CONTINUE;
    END IF;
    IF coalesce(wanted.key, '') = '' OR wanted.mode NOT IN ('skip', 'replace', 'debounce', 'latest')
      OR wanted.mode = 'debounce' AND wanted.delay IS NULL
    THEN
      RAISE EXCEPTION USING
        ERRCODE = '22023',
        MESSAGE = 'a job''s "unique" needs a key, and one of the modes skip, replace, debounce (with a '
          'delay) and latest';
    END IF;
    IF wanted.mode <> 'skip' AND wanted.document -> 'needs' IS NOT NULL THEN
      RAISE EXCEPTION USING
        ERRCODE = '22023',
        MESSAGE = 'a job that waits for others can''t replace or put off one of its key: use the mode skip';
    END IF;
    IF last_key = ARRAY[wanted.tenant, wanted.key] AND cardinality(accepted) > 0 THEN
      -- The same key again: the one before must stand in its place to be seen.
      RETURN QUERY SELECT * FROM leasehold.write_accepted(accepted, behind, moment);
      accepted := '{}';
      behind := '{}';
    END IF;
    last_key := ARRAY[wanted.tenant, wanted.key];
    IF EXISTS (SELECT FROM leasehold.job WHERE job.id = wanted.id) THEN
      accepted := accepted || wanted.document; -- the id goes before the key: the same job, or a clash
      CONTINUE;
    END IF;

    IF wanted.mode = 'skip' THEN
      -- Look without a lock first: a key that is held can be answered for as of now.
      SELECT k.* INTO held
      FROM leasehold.key AS k
      WHERE k.tenant = wanted.tenant AND k.key = wanted.key
        AND k.memory_seconds >= wanted.memory_seconds;
      IF FOUND THEN
        successor := CASE WHEN leasehold.place_of(held.next) IS NOT NULL THEN held.next END;
        verdict := NULL;
        until := NULL;
        IF successor IS NOT NULL OR leasehold.place_of(held.job_id) IS NOT NULL THEN
          verdict := 'live';
        ELSIF wanted.memory_seconds > 0 THEN
          SELECT m.verdict, m.until INTO verdict, until
          FROM leasehold.memory_of(held, wanted.rule, moment) AS m;
        END IF;
        IF verdict IS NOT NULL THEN
          RETURN QUERY SELECT wanted.id, coalesce(successor, held.job_id), verdict, NULL::uuid, until;
          CONTINUE;
        END IF;
      END IF;
    END IF;

    -- Lock … A write, also where the row stays as it is, so that REPEATABLE READ notices.
    INSERT INTO leasehold.key AS k (tenant, key, job_id, taken_at, series_at, memory_seconds)
    VALUES (wanted.tenant, wanted.key, wanted.id, moment, moment, wanted.memory_seconds)
    ON CONFLICT (tenant, key) DO UPDATE
    SET memory_seconds = greatest(k.memory_seconds, excluded.memory_seconds)
    RETURNING k.* INTO held;

    -- … then look, in later statements: they see what the lock waited for.
    IF held.job_id = wanted.id AND held.taken_at = moment
      OR EXISTS (SELECT FROM leasehold.job WHERE job.id = wanted.id)
    THEN -- a new key; or the same job, enqueued twice at once
      accepted := accepted || leasehold.bound_wait(wanted.document, held.series_at, moment);
      CONTINUE;
    END IF;
    LOOP
      place := leasehold.place_of(held.job_id);
      runs := coalesce(place = 'lease', false);
      successor := CASE WHEN leasehold.place_of(held.next) IS NOT NULL THEN held.next END;
      verdict := NULL;
      other := NULL;
      until := NULL;
      IF place IS NULL AND successor IS NULL THEN
        SELECT m.verdict, m.until INTO verdict, until
        FROM leasehold.memory_of(held, wanted.rule, moment) AS m;
        EXIT;
      ELSIF wanted.mode = 'skip' OR wanted.mode = 'debounce' AND successor IS NOT NULL THEN
        verdict := 'live';
        EXIT;
      ELSIF wanted.mode = 'debounce' AND place IS NOT NULL AND NOT runs THEN
        UPDATE leasehold.scheduled AS s
        SET run_at = greatest(s.run_at, least(
          moment + wanted.delay,
          held.series_at + make_interval(secs => (wanted.rule ->> 'max_wait_seconds')::double precision)))
        WHERE s.job_id = held.job_id
          AND s.attempt = 0 -- a retry keeps its time
        RETURNING s.run_at INTO until;
        verdict := CASE WHEN FOUND THEN 'pushed' ELSE 'live' END;
        EXIT;
      END IF;
      -- What waits ends; one that was just moving is looked at again.
      CONTINUE WHEN successor IS NOT NULL
        AND NOT leasehold.end_waiting(successor, moment, 'replaced by job ' || wanted.id);
      other := successor;
      EXIT WHEN place IS NULL OR runs;
      other := held.job_id;
      EXIT WHEN leasehold.end_waiting(held.job_id, moment, 'replaced by job ' || wanted.id);
    END LOOP;
    IF verdict IS NOT NULL THEN
      RETURN QUERY SELECT wanted.id, coalesce(successor, held.job_id), verdict, NULL::uuid, until;
      CONTINUE;
    END IF;

    UPDATE leasehold.key AS k
    SET job_id = CASE WHEN runs THEN k.job_id ELSE wanted.id END,
      next = CASE WHEN runs THEN wanted.id END,
      is_urgent = runs AND (wanted.mode = 'latest' OR successor IS NOT NULL AND k.is_urgent),
      taken_at = CASE WHEN runs THEN k.taken_at ELSE moment END,
      series_at = CASE
        WHEN successor IS NULL AND (place IS NULL OR runs) THEN moment -- it replaces nothing
        ELSE k.series_at
      END,
      succeeded_at = coalesce(leasehold.success_of(k.job_id), k.succeeded_at)
    WHERE k.tenant = wanted.tenant AND k.key = wanted.key
    RETURNING k.* INTO held;
    IF runs THEN
      behind := behind || wanted.id;
      RETURN QUERY SELECT wanted.id, wanted.id, 'behind', held.job_id, NULL::timestamptz;
    ELSIF other IS NOT NULL THEN
      RETURN QUERY SELECT wanted.id, wanted.id, 'replaced', other, NULL::timestamptz;
    END IF;
    accepted := accepted || leasehold.bound_wait(wanted.document, held.series_at, moment);
  END LOOP;
  IF is_endless THEN
    PERFORM set_config('lock_timeout', '0', true);
  END IF;
  RETURN QUERY SELECT * FROM leasehold.write_accepted(accepted, behind, moment);
END
$$;

-- Lets those go that waited behind a job which runs no more (index key_next). Its next try, if it was
-- to have one, is not wanted any more. Tells running ones to stop where that was asked for.
CREATE FUNCTION leasehold.hand_over(most integer, skew_seconds double precision DEFAULT 0)
RETURNS integer
LANGUAGE plpgsql
SET jit = off
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET enable_nestloop = on -- a worker's connection has none, and would read all jobs
AS $$
DECLARE
  moment timestamptz := clock_timestamp() + make_interval(secs => skew_seconds);
  held   leasehold.key;
  moved  integer := 0;
BEGIN
  FOR held IN
    SELECT k.*
    FROM leasehold.key AS k
    WHERE k.next IS NOT NULL
      AND NOT EXISTS ( -- nothing to do for it yet
        SELECT
        FROM leasehold.lease
        WHERE lease.job_id = k.job_id
          AND (lease.cancel_requested OR NOT k.is_urgent))
    ORDER BY k.tenant, k.key
    LIMIT most
    FOR UPDATE SKIP LOCKED
  LOOP
    -- Later statements than the lock.
    IF leasehold.place_of(held.next) IS NULL THEN -- cancelled or deleted since
      UPDATE leasehold.key AS k
      SET next = NULL, is_urgent = false
      WHERE k.tenant = held.tenant AND k.key = held.key;
      CONTINUE;
    END IF;
    IF held.is_urgent THEN
      UPDATE leasehold.lease
      SET cancel_requested = true,
        cancelled_by = coalesce(cancelled_by, 'job ' || held.next)
      WHERE job_id = (
        SELECT l.job_id FROM leasehold.lease AS l WHERE l.job_id = held.job_id FOR NO KEY UPDATE SKIP LOCKED
      );
    END IF;
    PERFORM leasehold.end_waiting(held.job_id, moment, 'replaced by job ' || held.next);
    CONTINUE WHEN leasehold.place_of(held.job_id) IS NOT NULL; -- it runs, or was just moving
    WITH freed AS (
      DELETE FROM leasehold.waiting
      WHERE job_id = held.next
      RETURNING job_id, queue, priority, created_at, kind, tenant, batch
    ),
    wished AS (
      SELECT freed.*, job.run_at, job.lane, coalesce(job.share, '') AS share, job.cost
      FROM freed
      JOIN leasehold.job ON job.id = freed.job_id
    ),
    later AS (
      INSERT INTO leasehold.scheduled
        (job_id, run_at, queue, priority, created_at, kind, tenant, lane, batch)
      SELECT job_id, run_at, queue, priority, created_at, kind, tenant, lane, batch
      FROM wished
      WHERE run_at > moment
    ),
    in_lane AS (
      INSERT INTO leasehold.waiting
        (job_id, queue, priority, created_at, kind, tenant, share, lane, cost, batch)
      SELECT job_id, queue, priority, created_at, kind, tenant, share, lane, cost, batch
      FROM wished
      WHERE lane IS NOT NULL AND (run_at IS NULL OR run_at <= moment)
    )
    INSERT INTO leasehold.ready (job_id, queue, priority, created_at, kind, tenant, batch)
    SELECT job_id, queue, priority, created_at, kind, tenant, batch
    FROM wished
    WHERE lane IS NULL AND (run_at IS NULL OR run_at <= moment);
    CONTINUE WHEN EXISTS ( -- it was just given another priority
      SELECT FROM leasehold.waiting WHERE job_id = held.next AND stage = '#'
    );
    UPDATE leasehold.key AS k
    SET job_id = held.next,
      next = NULL,
      is_urgent = false,
      taken_at = coalesce((SELECT created_at FROM leasehold.job WHERE id = held.next), k.taken_at),
      succeeded_at = coalesce(leasehold.success_of(held.job_id), k.succeeded_at)
    WHERE k.tenant = held.tenant AND k.key = held.key;
    moved := moved + 1;
  END LOOP;
  RETURN moved;
END
$$;
