-- serves code from 1
-- How long ended jobs are kept, and how those past their time go: in small steps, by one worker at a
-- time, skipping whatever somebody has locked. See ARCHITECTURE.md, "Retention".

-- What somebody said for all jobs (name ''), for a queue's or for a task's. Seconds after the end; NULL
-- says nothing, 1e99 is for ever. No row: 7 days for succeeded jobs, 30 for others.
CREATE TABLE leasehold.retention (
  scope             text             NOT NULL CHECK (scope IN ('all', 'queue', 'task')),
  name              text             NOT NULL,
  tenant            text             NOT NULL DEFAULT '',
  succeeded_seconds double precision CHECK (succeeded_seconds >= 0),
  dead_seconds      double precision CHECK (dead_seconds >= 0),
  cancelled_seconds double precision CHECK (cancelled_seconds >= 0),
  set_by            text, -- NULL: as the code declared it
  updated_at        timestamptz      NOT NULL,
  PRIMARY KEY (scope, name)
);

-- What only one worker does at a time: who does it, or nobody before when. `cursor` is where it stands.
CREATE TABLE leasehold.duty (
  name   text        NOT NULL PRIMARY KEY,
  worker bigint,
  until  timestamptz NOT NULL,
  cursor text
) WITH (fillfactor = 50);

-- How many seconds after its end a job is kept: what narrower scopes say goes before, and who says how
-- long succeeded ones are kept keeps the others as long at least. As `fold` in model/keeping.py.
CREATE FUNCTION leasehold.kept_seconds(kind text, queue text, state leasehold.outcome_state)
RETURNS double precision
LANGUAGE sql
STABLE
AS $$
  SELECT CASE state
    WHEN 'succeeded' THEN coalesce(narrow.succeeded_seconds, middle.succeeded_seconds,
      wide.succeeded_seconds, 604800)
    WHEN 'dead' THEN coalesce(narrow.dead_seconds, greatest(narrow.succeeded_seconds,
      coalesce(middle.dead_seconds, greatest(middle.succeeded_seconds,
      coalesce(wide.dead_seconds, greatest(wide.succeeded_seconds, 2592000))))))
    WHEN 'cancelled' THEN coalesce(narrow.cancelled_seconds, greatest(narrow.succeeded_seconds,
      coalesce(middle.cancelled_seconds, greatest(middle.succeeded_seconds,
      coalesce(wide.cancelled_seconds, greatest(wide.succeeded_seconds, 2592000))))))
  END -- NULL for an attempt that did not end its job
  FROM (SELECT) AS once
  LEFT JOIN leasehold.retention AS narrow ON narrow.scope = 'task' AND narrow.name = kind
  LEFT JOIN leasehold.retention AS middle ON middle.scope = 'queue' AND middle.name = queue
  LEFT JOIN leasehold.retention AS wide ON wide.scope = 'all'
$$;

-- The id that jobs made from this moment on are not below.
CREATE FUNCTION leasehold.first_id(moment timestamptz)
RETURNS uuid
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT (lpad(to_hex(greatest(0, floor(extract(epoch FROM moment) * 1000))::bigint), 12, '0')
    || repeat('0', 20))::uuid
$$;

-- The moment before which jobs must have been made to be past their time.
CREATE FUNCTION leasehold.prune_horizon(moment timestamptz)
RETURNS timestamptz
LANGUAGE sql
STABLE
AS $$
  SELECT moment - make_interval(secs => least(3e9, min(amount)))
  FROM (
    SELECT unnest(ARRAY[succeeded_seconds, dead_seconds, cancelled_seconds]) AS amount
    FROM leasehold.retention
    WHERE scope <> 'all'
    UNION ALL
    SELECT least(leasehold.kept_seconds('', '', 'succeeded'), leasehold.kept_seconds('', '', 'dead'),
      leasehold.kept_seconds('', '', 'cancelled'))
  ) AS said
$$;

-- Deletes those of these jobs that have ended, with all that is known of them; the caller has locked
-- their rows, in an earlier statement, and an operator who retries one locks it first. Primary keys.
CREATE FUNCTION leasehold.erase_ended(jobs uuid[])
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  gone uuid[];
BEGIN
  WITH erased AS (
    DELETE FROM leasehold.job
    WHERE id = ANY (jobs)
      AND NOT EXISTS (SELECT FROM leasehold.ready WHERE ready.job_id = job.id)
      AND NOT EXISTS (SELECT FROM leasehold.scheduled WHERE scheduled.job_id = job.id)
      AND NOT EXISTS (SELECT FROM leasehold.parked WHERE parked.job_id = job.id)
      AND NOT EXISTS (SELECT FROM leasehold.waiting WHERE waiting.job_id = job.id)
      AND NOT EXISTS (SELECT FROM leasehold.lease WHERE lease.job_id = job.id)
    RETURNING id
  )
  SELECT array_agg(id) INTO gone FROM erased;
  DELETE FROM leasehold.outcome WHERE job_id = ANY (gone);
  DELETE FROM leasehold.checkpoint WHERE job_id = ANY (gone);
  DELETE FROM leasehold.step WHERE job_id = ANY (gone);
  DELETE FROM leasehold.dependency WHERE job_id = ANY (gone);
  DELETE FROM leasehold.dependent WHERE job_id = ANY (gone);
  DELETE FROM leasehold.callback WHERE job_id = ANY (gone);
  RETURN coalesce(cardinality(gone), 0);
END
$$;

-- Names those of these jobs that are alive, by the tables in which they stand: primary keys.
CREATE FUNCTION leasehold.living(jobs uuid[])
RETURNS uuid[]
LANGUAGE plpgsql
AS $$
BEGIN
  RETURN ARRAY (
    SELECT job_id FROM leasehold.lease WHERE job_id = ANY (jobs)
    UNION ALL
    SELECT job_id FROM leasehold.ready WHERE job_id = ANY (jobs)
    UNION ALL
    SELECT job_id FROM leasehold.scheduled WHERE job_id = ANY (jobs)
    UNION ALL
    SELECT job_id FROM leasehold.waiting WHERE job_id = ANY (jobs)
    UNION ALL
    SELECT job_id FROM leasehold.parked WHERE job_id = ANY (jobs)
  );
END
$$;

-- Whether a job may still want the ends and results of those that it needs: one that is there and has not
-- succeeded, since an operator may retry it. Primary keys.
CREATE FUNCTION leasehold.is_wanting(job uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT EXISTS (SELECT FROM leasehold.job AS j WHERE j.id = job) AND leasehold.success_of(job) IS NULL
$$;

-- Names those of these jobs that have ended and are past their time by so many seconds. What belongs to
-- a batch goes with it. Primary keys; whatever may be large is looked up, never joined, since the plan
-- may be older than its size.
CREATE FUNCTION leasehold.past_their_time(jobs uuid[], late_seconds double precision, moment timestamptz)
RETURNS uuid[]
LANGUAGE plpgsql
AS $$
DECLARE
  alive  uuid[] := leasehold.living(jobs);
  wanted uuid[];
BEGIN
  wanted := ARRAY (
    SELECT needs FROM leasehold.dependency WHERE needs = ANY (jobs) AND leasehold.is_wanting(job_id)
  );
  RETURN ARRAY (
    SELECT job.id
    FROM leasehold.job
    CROSS JOIN LATERAL (
      SELECT outcome.state, extract(epoch FROM moment - outcome.finished_at)::double precision AS age
      FROM leasehold.outcome
      WHERE outcome.job_id = job.id
      ORDER BY outcome.attempt DESC
      LIMIT 1
    ) AS last
    LEFT JOIN LATERAL (
      SELECT batch.id FROM leasehold.batch WHERE job.batch IS NOT NULL AND batch.id = job.batch OFFSET 0
    ) AS whole ON true
    LEFT JOIN LATERAL ( -- its success is what a cooldown counts from
      SELECT k.key
      FROM leasehold.key AS k
      WHERE job.key IS NOT NULL
        AND k.tenant = job.tenant
        AND k.key = job.key
        AND k.job_id = job.id
        AND k.memory_seconds < 1e90
        AND k.memory_seconds > last.age
      OFFSET 0
    ) AS remembered ON true
    LEFT JOIN leasehold.retention AS narrow ON narrow.scope = 'task' AND narrow.name = job.kind
    LEFT JOIN leasehold.retention AS middle ON middle.scope = 'queue' AND middle.name = job.queue
    LEFT JOIN leasehold.retention AS wide ON wide.scope = 'all' AND wide.name = ''
    WHERE job.id = ANY (jobs)
      AND job.id <> ALL (alive)
      AND job.id <> ALL (wanted)
      AND whole.id IS NULL
      AND remembered.key IS NULL
      AND last.age - late_seconds >= CASE last.state -- as kept_seconds, which would cost 50 us each
        WHEN 'succeeded' THEN coalesce(narrow.succeeded_seconds, middle.succeeded_seconds,
          wide.succeeded_seconds, 604800)
        WHEN 'dead' THEN coalesce(narrow.dead_seconds, greatest(narrow.succeeded_seconds,
          coalesce(middle.dead_seconds, greatest(middle.succeeded_seconds,
          coalesce(wide.dead_seconds, greatest(wide.succeeded_seconds, 2592000))))))
        WHEN 'cancelled' THEN coalesce(narrow.cancelled_seconds, greatest(narrow.succeeded_seconds,
          coalesce(middle.cancelled_seconds, greatest(middle.succeeded_seconds,
          coalesce(wide.cancelled_seconds, greatest(wide.succeeded_seconds, 2592000))))))
      END
  );
END
$$;

-- Deletes jobs with all that is known of them. Whoever calls it holds their locks and has looked since.
CREATE FUNCTION leasehold.erase(jobs uuid[])
RETURNS integer
LANGUAGE plpgsql
AS $$
BEGIN
  DELETE FROM leasehold.outcome WHERE job_id = ANY (jobs);
  DELETE FROM leasehold.checkpoint WHERE job_id = ANY (jobs);
  DELETE FROM leasehold.step WHERE job_id = ANY (jobs);
  DELETE FROM leasehold.dependency WHERE job_id = ANY (jobs);
  DELETE FROM leasehold.dependent WHERE job_id = ANY (jobs);
  DELETE FROM leasehold.callback WHERE job_id = ANY (jobs);
  DELETE FROM leasehold.job WHERE id = ANY (jobs);
  RETURN cardinality(jobs);
END
$$;

-- Deletes of the next jobs (primary key) those past their time. `cursor` is NULL at the end. Jobs made
-- within the shortest time that any is kept are not looked at; those whose id is of another kind (a
-- caller's own) come last.
CREATE FUNCTION leasehold.prune_jobs(after text, most integer, is_dry boolean, late_seconds double precision,
  skew_seconds double precision, OUT seen integer, OUT gone integer, OUT cursor text, OUT is_busy boolean)
LANGUAGE plpgsql
SET jit = off
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET enable_nestloop = on
AS $$
DECLARE
  moment  timestamptz := clock_timestamp() + make_interval(secs => skew_seconds);
  horizon uuid := leasehold.first_id(leasehold.prune_horizon(moment));
  beyond  uuid := leasehold.first_id(moment + interval '1 day');
  start   uuid := coalesce(after::uuid, '00000000-0000-0000-0000-000000000000');
  page    uuid[];
  due     uuid[];
BEGIN
  is_busy := EXISTS (SELECT FROM leasehold.lease);
  page := ARRAY (SELECT id FROM leasehold.job WHERE id > start AND id < horizon ORDER BY id LIMIT most);
  IF page = '{}' THEN
    page := ARRAY (
      SELECT id FROM leasehold.job WHERE id > greatest(start, beyond) ORDER BY id LIMIT most
    );
  END IF;
  seen := cardinality(page);
  cursor := page[seen]::text;
  -- Look, so that only what will go is written to; lock, skipping what an operator holds; …
  due := leasehold.past_their_time(page, late_seconds, moment);
  gone := cardinality(due);
  IF is_dry OR gone = 0 THEN
    RETURN;
  END IF;
  due := ARRAY (SELECT id FROM leasehold.job WHERE id = ANY (due) ORDER BY id FOR UPDATE SKIP LOCKED);
  -- … and look again, in a later statement: one of them may have been retried.
  gone := leasehold.erase(leasehold.past_their_time(due, late_seconds, moment));
END
$$;

-- Deletes the next ended batch that is past its time, as a whole: it is when all its members are, each
-- counted from the batch's end. At most so many members in one call; `cursor` then names it with a '!',
-- so that the next call goes on without looking at all of them again. Indexes: primary key, job_batch.
CREATE FUNCTION leasehold.prune_batches(after text, most integer, is_dry boolean,
  late_seconds double precision, skew_seconds double precision,
  OUT seen integer, OUT gone integer, OUT cursor text, OUT is_busy boolean)
LANGUAGE plpgsql
SET jit = off
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET enable_nestloop = on
AS $$
DECLARE
  moment  timestamptz := clock_timestamp() + make_interval(secs => skew_seconds);
  limits  timestamptz := leasehold.prune_horizon(moment);
  is_sure boolean := after LIKE '%!';
  start   uuid := coalesce(rtrim(after, '!')::uuid, '00000000-0000-0000-0000-000000000000');
  found_one leasehold.batch;
  members uuid[];
  alive   uuid[];
BEGIN
  seen := 0;
  gone := 0;
  is_busy := EXISTS (SELECT FROM leasehold.lease);
  SELECT batch.* INTO found_one
  FROM leasehold.batch
  WHERE batch.id >= start
    AND (batch.id > start OR is_sure)
    AND batch.id < leasehold.first_id(limits)
    AND batch.ended_at < limits
    AND NOT EXISTS ( -- which counts it
      SELECT FROM leasehold.batch AS above WHERE above.id = batch.parent AND above.ended_at IS NULL)
  ORDER BY batch.id
  LIMIT 1
  FOR UPDATE OF batch SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  seen := 1;
  cursor := found_one.id::text;
  -- Later statements than the lock, which a retry of its members takes too.
  IF NOT (is_sure AND found_one.id = start) AND EXISTS (
    SELECT
    FROM (
      SELECT DISTINCT job.kind, job.queue, last.state
      FROM leasehold.job
      LEFT JOIN LATERAL (
        SELECT outcome.state
        FROM leasehold.outcome
        WHERE outcome.job_id = job.id
        ORDER BY outcome.attempt DESC
        LIMIT 1
      ) AS last ON true
      WHERE job.batch = found_one.id
    ) AS member
    WHERE NOT coalesce(extract(epoch FROM moment - found_one.ended_at)
      >= late_seconds + leasehold.kept_seconds(member.kind, member.queue, member.state), false)
  ) OR EXISTS ( -- a member's result may still be wanted
    SELECT
    FROM leasehold.job
    CROSS JOIN LATERAL (
      SELECT
      FROM leasehold.dependency
      WHERE dependency.needs = job.id
        AND leasehold.is_wanting(dependency.job_id)
      LIMIT 1
    ) AS wanting
    WHERE job.batch = found_one.id
  ) THEN
    RETURN; -- it is kept
  END IF;
  IF is_dry THEN
    gone := (SELECT count(*) FROM leasehold.job WHERE job.batch = found_one.id);
    RETURN;
  END IF;
  members := ARRAY (
    SELECT id FROM leasehold.job WHERE job.batch = found_one.id ORDER BY id LIMIT most FOR UPDATE SKIP LOCKED
  );
  alive := leasehold.living(members); -- a later statement
  members := ARRAY (SELECT id FROM unnest(members) AS member (id) WHERE id <> ALL (alive));
  gone := leasehold.erase(members);
  IF NOT EXISTS (SELECT FROM leasehold.job WHERE job.batch = found_one.id) THEN
    DELETE FROM leasehold.batch WHERE id = found_one.id;
  ELSIF gone > 0 THEN
    cursor := found_one.id::text || '!';
  END IF;
END
$$;

-- Deletes of the next keys (primary key) those that say nothing any more: the job that had it is gone,
-- nobody waits behind it, and its memory is over. A key for ever stays. Skips what is locked.
CREATE FUNCTION leasehold.prune_keys(after text, most integer, is_dry boolean,
  late_seconds double precision, skew_seconds double precision,
  OUT seen integer, OUT gone integer, OUT cursor text, OUT is_busy boolean)
LANGUAGE plpgsql
SET jit = off
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET enable_nestloop = on
AS $$
DECLARE
  moment timestamptz := clock_timestamp() + make_interval(secs => skew_seconds);
  start  jsonb := coalesce(after::jsonb, '["", ""]');
  stop   jsonb;
  held   record;
BEGIN
  gone := 0;
  is_busy := EXISTS (SELECT FROM leasehold.lease);
  SELECT count(*), jsonb_agg(jsonb_build_array(page.tenant, page.key)) -> -1
  INTO seen, stop
  FROM (
    SELECT k.tenant, k.key
    FROM leasehold.key AS k
    WHERE (k.tenant, k.key) > (start ->> 0, start ->> 1)
    ORDER BY k.tenant, k.key
    LIMIT most
  ) AS page;
  cursor := stop::text;
  -- Lock …
  FOR held IN
    SELECT k.tenant, k.key
    FROM leasehold.key AS k
    WHERE (k.tenant, k.key) > (start ->> 0, start ->> 1)
      AND (k.tenant, k.key) <= (stop ->> 0, stop ->> 1)
      AND k.memory_seconds + late_seconds
        < extract(epoch FROM moment - greatest(k.taken_at, k.succeeded_at))
      AND NOT EXISTS (SELECT FROM leasehold.job WHERE job.id = k.job_id)
    ORDER BY k.tenant, k.key
    FOR UPDATE SKIP LOCKED
  LOOP
    IF is_dry THEN
      gone := gone + 1;
      CONTINUE;
    END IF;
    -- … then look, in a later statement: somebody may just have taken it.
    DELETE FROM leasehold.key AS k
    WHERE k.tenant = held.tenant
      AND k.key = held.key
      AND NOT EXISTS (SELECT FROM leasehold.job WHERE job.id = k.job_id)
      AND leasehold.place_of(k.next) IS NULL;
    gone := gone + FOUND::integer;
  END LOOP;
END
$$;

-- Moving: what is known of a move from or into this database, by part: its mark, and how far each table
-- has been filled.
CREATE TABLE leasehold.move (
  part text NOT NULL PRIMARY KEY,
  said json NOT NULL
);

-- Refuses a change (SQLSTATE LH009) of a queue that has moved, or is being filled. Its triggers are there
-- only while that is so: nobody else pays.
CREATE FUNCTION leasehold.refuse_moved()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  RAISE EXCEPTION USING
    ERRCODE = 'LH009',
    MESSAGE = coalesce((SELECT said ->> 'message' FROM leasehold.move WHERE part = 'mark'), 'moved');
END
$$;

-- Instants as a move carries them: microseconds since the epoch; the last of all is for ever.
CREATE FUNCTION leasehold.microseconds_of(moment timestamptz)
RETURNS bigint
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT CASE
    WHEN moment = 'infinity' THEN 253402300799999999
    ELSE (extract(epoch FROM moment) * 1000000)::bigint
  END
$$;

CREATE FUNCTION leasehold.moment_of(microseconds bigint)
RETURNS timestamptz
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT CASE
    WHEN microseconds = 253402300799999999 THEN 'infinity'
    -- in two parts: a factor of an interval is a double, and has 53 bits
    ELSE (timestamp '1970-01-01' + make_interval(secs => microseconds / 1000000)
      + microseconds % 1000000 * interval '1 microsecond') AT TIME ZONE 'UTC'
  END
$$;

CREATE FUNCTION leasehold.names_of(list json)
RETURNS text[]
LANGUAGE sql
IMMUTABLE
STRICT
AS $$
  SELECT ARRAY (SELECT json_array_elements_text(list))
$$;
