-- serves code from 1
-- What follows from ends: callbacks, in the transaction of the end; the ends of batches, after it.

-- Lets jobs into their batches, or raises (SQLSTATE LH005). KEY SHARE: many add at once, and whoever
-- seals or ends the batch sees what they wrote. A job that stands there already may come again.
CREATE FUNCTION leasehold.join_batches(documents jsonb)
RETURNS void
LANGUAGE plpgsql
SET enable_nestloop = on -- a worker's connection has none, and would read all batches
AS $$
DECLARE
  asked   record;
  held    leasehold.batch;
  refused text;
BEGIN
  FOR asked IN
    SELECT DISTINCT (document ->> 'batch')::uuid AS batch, coalesce(document ->> 'tenant', '') AS tenant,
      document -> 'adder' AS adder
    FROM jsonb_array_elements(documents) AS document
    WHERE document ? 'batch'
    ORDER BY 1 -- everybody locks in one order
  LOOP
    -- Lock …
    PERFORM FROM leasehold.batch WHERE id = asked.batch FOR KEY SHARE;
    -- … then look, in a later statement.
    SELECT b.* INTO held
    FROM leasehold.batch AS b
    WHERE b.id = asked.batch AND b.tenant = asked.tenant;
    refused := NULL;
    IF NOT FOUND THEN
      refused := 'unknown';
    ELSIF coalesce(held.cancelled_at, held.ended_at) IS NOT NULL
      OR held.sealed_at IS NOT NULL AND NOT EXISTS ( -- fenced: only a member that runs
        SELECT
        FROM leasehold.lease
        WHERE lease.job_id = (asked.adder ->> 0)::uuid
          AND lease.fence = (asked.adder ->> 1)::bigint
          AND lease.batch = asked.batch
      )
    THEN
      refused := leasehold.batch_status(held.sealed_at, held.cancelled_at, held.ended_at);
    END IF;
    CONTINUE WHEN refused IS NULL;
    -- What stands there already may come again.
    IF EXISTS (
      SELECT
      FROM jsonb_array_elements(documents) AS document
      WHERE (document ->> 'batch')::uuid = asked.batch
        AND NOT EXISTS (SELECT FROM leasehold.job WHERE job.id = (document ->> 'id')::uuid)
    )
    THEN
      RAISE EXCEPTION USING
        ERRCODE = 'LH005',
        MESSAGE = jsonb_build_object('batch', asked.batch, 'status', nullif(refused, 'unknown'))::text,
        HINT = 'this batch does not exist or takes no more members';
    END IF;
  END LOOP;
END
$$;

-- The same as status_of in model/batches.py.
CREATE FUNCTION leasehold.batch_status(sealed_at timestamptz, cancelled_at timestamptz,
  ended_at timestamptz)
RETURNS text
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT CASE
    WHEN cancelled_at IS NOT NULL AND ended_at IS NOT NULL THEN 'cancelled'
    WHEN cancelled_at IS NOT NULL THEN 'cancelling'
    WHEN ended_at IS NOT NULL THEN 'ended'
    WHEN sealed_at IS NOT NULL THEN 'sealed'
    ELSE 'open'
  END
$$;

-- Counts a batch's members, all at one moment: the live ones by the tables they stand in (*_batch), the
-- ended ones by their last outcome (job_batch, primary keys); and the units of work that they reported.
CREATE FUNCTION leasehold.batch_counts(asked uuid)
RETURNS TABLE (total bigint, queued bigint, blocked bigint, running bigint, failed bigint,
  succeeded bigint, dead bigint, cancelled bigint, processed double precision,
  total_units double precision)
LANGUAGE sql
STABLE
AS $$
  SELECT member.total,
    (SELECT count(*) FROM leasehold.ready WHERE ready.batch = asked)
      + (SELECT count(*) FROM leasehold.parked WHERE parked.batch = asked)
      + waiting.queued + scheduled.queued,
    waiting.blocked,
    (SELECT count(*) FROM leasehold.lease WHERE lease.batch = asked),
    scheduled.failed,
    member.succeeded, member.dead, member.cancelled, member.processed, member.total_units
  FROM (
    SELECT count(*) AS total,
      count(*) FILTER (WHERE last.state = 'succeeded') AS succeeded,
      -- these may have been made anew; CASE, because AND goes on after a NULL
      count(CASE last.state WHEN 'dead' THEN nullif(leasehold.place_of(job.id) IS NULL, false) END)
        AS dead,
      count(CASE last.state WHEN 'cancelled' THEN nullif(leasehold.place_of(job.id) IS NULL, false) END)
        AS cancelled,
      sum(saved.done) AS processed,
      sum(saved.total) AS total_units
    FROM leasehold.job
    LEFT JOIN LATERAL (
      SELECT outcome.state
      FROM leasehold.outcome
      WHERE outcome.job_id = job.id
      ORDER BY outcome.attempt DESC
      LIMIT 1
    ) AS last ON true
    LEFT JOIN LATERAL (
      SELECT done, total FROM leasehold.checkpoint WHERE checkpoint.job_id = job.id OFFSET 0
    ) AS saved ON true
    WHERE job.batch = asked
  ) AS member
  CROSS JOIN (
    SELECT count(*) FILTER (WHERE lane <> '' OR stage = '#') AS blocked,
      count(*) FILTER (WHERE NOT (lane <> '' OR stage = '#')) AS queued
    FROM leasehold.waiting
    WHERE waiting.batch = asked
  ) AS waiting
  CROSS JOIN (
    SELECT count(*) FILTER (WHERE failures > 0) AS failed,
      count(*) FILTER (WHERE failures = 0) AS queued
    FROM leasehold.scheduled
    WHERE scheduled.batch = asked
  ) AS scheduled
$$;

-- Batches for people and for the applications' own views. Reading it locks nothing.
CREATE VIEW leasehold.batches AS
SELECT
  batch.id,
  batch.tenant AS tenant_id,
  batch.name,
  batch.parent AS parent_id,
  batch.meta::jsonb AS meta,
  leasehold.batch_status(batch.sealed_at, batch.cancelled_at, batch.ended_at) AS status,
  batch.round,
  counts.total,
  counts.queued,
  counts.blocked,
  counts.running,
  counts.failed,
  counts.succeeded,
  counts.dead,
  counts.cancelled,
  counts.processed,
  counts.total_units,
  batch.created_by,
  batch.created_at,
  batch.sealed_at,
  batch.failed_at,
  batch.cancelled_at,
  batch.cancelled_by,
  batch.ended_at
FROM leasehold.batch
CROSS JOIN LATERAL leasehold.batch_counts(batch.id) AS counts;

-- Whether a batch has members that have not ended, or nested batches: *_batch, batch_parent. One
-- statement, one snapshot: a job that moves is seen in exactly one table.
CREATE FUNCTION leasehold.is_batch_live(asked uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT EXISTS (SELECT FROM leasehold.lease WHERE lease.batch = asked)
    OR EXISTS (SELECT FROM leasehold.ready WHERE ready.batch = asked)
    OR EXISTS (SELECT FROM leasehold.scheduled WHERE scheduled.batch = asked)
    OR EXISTS (SELECT FROM leasehold.waiting WHERE waiting.batch = asked)
    OR EXISTS (SELECT FROM leasehold.parked WHERE parked.batch = asked)
    OR EXISTS (SELECT FROM leasehold.batch WHERE batch.parent = asked AND batch.ended_at IS NULL)
$$;

-- Makes a callback job of what was asked for, and returns its queue to wake. One that can't be placed as
-- asked, as somebody wrote it by hand, is made all the same: an end must not fail, nor go unheard. So
-- it is under another id, when what has ended was deleted and made anew and its first callback stands.
CREATE FUNCTION leasehold.make_callback(asked jsonb, id uuid, ended jsonb, skew interval)
RETURNS text
LANGUAGE plpgsql
AS $$
DECLARE
  free         uuid := id;
  named        jsonb;
  skew_seconds double precision := extract(epoch FROM skew);
BEGIN
  WHILE EXISTS (SELECT FROM leasehold.job WHERE job.id = free) LOOP
    free := leasehold.derived_id(free, 'again');
  END LOOP;
  named := jsonb_build_object('id', free, 'args', jsonb_build_object('ended', ended));
  PERFORM leasehold.enqueue_many(jsonb_build_array(asked || named)::text, skew_seconds,
    ignores_quotas => true);
  RETURN coalesce(asked ->> 'queue', '*');
EXCEPTION
  WHEN data_exception THEN
    named := named || jsonb_build_object('kind', coalesce(asked ->> 'kind', ''), 'timeout_seconds', 3600,
      'tenant', coalesce(asked ->> 'tenant', ''));
    PERFORM leasehold.enqueue_many(jsonb_build_array(named)::text, skew_seconds, ignores_quotas => true);
    RETURN '*';
END
$$;

-- A callback's document for a tenant, unless it says whose it is.
CREATE FUNCTION leasehold.of_tenant(document jsonb, tenant text)
RETURNS jsonb
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT document || jsonb_build_object('tenant', coalesce(nullif(document ->> 'tenant', ''), tenant))
$$;

-- Makes the callback of a job that ends in this very statement, if it has one, and returns its queue.
-- Whoever takes the row in callback makes it: once for each end.
CREATE FUNCTION leasehold.call_back(job uuid, state text, attempt integer, error text, skew interval)
RETURNS text
LANGUAGE plpgsql
AS $$
#variable_conflict use_variable
DECLARE
  ended leasehold.job;
BEGIN
  DELETE FROM leasehold.callback AS c WHERE c.job_id = job;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  SELECT j.* INTO ended FROM leasehold.job AS j WHERE j.id = job;
  RETURN leasehold.make_callback(
    jsonb_strip_nulls(jsonb_build_object('trace', ended.trace))
      || leasehold.of_tenant(ended.on_end::jsonb, ended.tenant),
    leasehold.derived_id(job, 'end:' || attempt),
    jsonb_build_object('job_id', job, 'kind', ended.kind, 'state', state, 'attempt', attempt,
      -- of an encrypted error only its class: what is bound to that job could not be read here
      'error', regexp_replace(error, '\$enc:([A-Za-z0-9._-]+):[A-Za-z0-9_-]+', '(encrypted, key \1)'),
      'tenant', ended.tenant, 'batch', ended.batch),
    skew);
END
$$;

-- What a batch's callback is told.
CREATE FUNCTION leasehold.tell_of_batch(told leasehold.batch)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT jsonb_build_object('batch', told.id, 'name', told.name, 'tenant', told.tenant,
    'meta', told.meta, 'round', told.round, 'is_cancelled', told.cancelled_at IS NOT NULL,
    'total', counts.total, 'succeeded', counts.succeeded, 'dead', counts.dead,
    'cancelled', counts.cancelled)
  FROM leasehold.batch_counts(told.id) AS counts
$$;

-- Whether a member has ended dead, and was not made anew: job_batch, primary keys.
CREATE FUNCTION leasehold.has_dead(asked uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT EXISTS (
    SELECT
    FROM leasehold.job
    CROSS JOIN LATERAL (
      SELECT outcome.state
      FROM leasehold.outcome
      WHERE outcome.job_id = job.id
      ORDER BY outcome.attempt DESC
      LIMIT 1
    ) AS last
    WHERE job.batch = asked
      AND last.state = 'dead'
      AND leasehold.place_of(job.id) IS NULL
  )
$$;

-- Does what follows from ends in a batch: notices its first dead member (`dead`: there is one; NULL: look)
-- and ends it when nothing in it is alive any more, each with its callback, once. Verdicts are failed,
-- ended, and busy: somebody is adding to it, or looks just now.
CREATE FUNCTION leasehold.follow_batch(asked uuid, dead boolean, skew interval)
RETURNS TABLE (batch uuid, verdict text, parent uuid, queue text)
LANGUAGE plpgsql
SET jit = off
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET enable_nestloop = on
AS $$
#variable_conflict use_column
DECLARE
  moment timestamptz := skew + clock_timestamp();
  held  leasehold.batch;
  called text;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION USING
      ERRCODE = 'LH003',
      MESSAGE = 'leasehold.follow_batch looks in a statement after its lock: it needs READ COMMITTED';
  END IF;
  -- A look that costs little first: nearly always there is nothing to do yet.
  SELECT b.* INTO held FROM leasehold.batch AS b WHERE b.id = asked AND b.ended_at IS NULL;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  IF held.on_failure IS NOT NULL AND held.failed_at IS NULL
    AND coalesce(dead, leasehold.has_dead(asked))
  THEN
    -- Beside those who add to it: KEY SHARE does not mind.
    SELECT b.* INTO held
    FROM leasehold.batch AS b
    WHERE b.id = asked AND b.ended_at IS NULL AND b.failed_at IS NULL
    FOR NO KEY UPDATE SKIP LOCKED;
    IF FOUND THEN
      UPDATE leasehold.batch AS b SET failed_at = moment WHERE b.id = asked;
      called := leasehold.make_callback(leasehold.of_tenant(held.on_failure::jsonb, held.tenant),
        leasehold.derived_id(asked, 'failure:' || held.round), leasehold.tell_of_batch(held), skew);
      RETURN QUERY SELECT asked, 'failed', NULL::uuid, called;
    ELSE -- another one has it in hand, or has ended it
      RETURN QUERY SELECT asked, 'busy', NULL::uuid, NULL;
      RETURN;
    END IF;
  END IF;
  IF held.sealed_at IS NULL OR leasehold.is_batch_live(asked) THEN
    RETURN;
  END IF;
  -- Lock …
  SELECT b.* INTO held
  FROM leasehold.batch AS b
  WHERE b.id = asked AND b.ended_at IS NULL AND b.sealed_at IS NOT NULL
  FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN QUERY SELECT asked, 'busy', NULL::uuid, NULL;
    RETURN;
  END IF;
  -- … then look, in a later statement: it sees what was added before the lock.
  IF leasehold.is_batch_live(asked) THEN
    RETURN;
  END IF;
  IF held.on_failure IS NOT NULL AND held.failed_at IS NULL AND leasehold.has_dead(asked) THEN
    called := leasehold.make_callback(leasehold.of_tenant(held.on_failure::jsonb, held.tenant),
      leasehold.derived_id(asked, 'failure:' || held.round), leasehold.tell_of_batch(held), skew);
    held.failed_at := moment;
    RETURN QUERY SELECT asked, 'failed', NULL::uuid, called;
  END IF;
  UPDATE leasehold.batch AS b
  SET ended_at = moment, failed_at = held.failed_at
  WHERE b.id = asked;
  called := NULL;
  IF held.on_end IS NOT NULL THEN
    called := leasehold.make_callback(leasehold.of_tenant(held.on_end::jsonb, held.tenant),
      leasehold.derived_id(asked, 'end:' || held.round), leasehold.tell_of_batch(held), skew);
  END IF;
  RETURN QUERY SELECT asked, 'ended', held.parent, called;
END
$$;

-- Makes a batch and returns its id; the same id again is the same batch. In a parent it counts as a
-- member does: SELECT leasehold.create_batch('{"name": "sync", "on_end": {"kind": "sync.report"}}');
CREATE FUNCTION leasehold.create_batch(document jsonb, skew_seconds double precision DEFAULT 0)
RETURNS uuid
LANGUAGE plpgsql
AS $$
DECLARE
  chosen uuid := coalesce((document ->> 'id')::uuid, leasehold.new_id());
BEGIN
  IF EXISTS (SELECT FROM leasehold.batch WHERE batch.id = chosen) THEN
    RETURN chosen;
  END IF;
  IF document ? 'parent' THEN
    PERFORM leasehold.join_batches(jsonb_build_array(
      document || jsonb_build_object('id', chosen, 'batch', document -> 'parent')));
  END IF;
  INSERT INTO leasehold.batch
    (id, tenant, name, parent, meta, on_end, on_failure, created_by, created_at)
  SELECT chosen, coalesce(tenant, ''), name, parent, coalesce(meta, '{}'),
    leasehold.check_callback(on_end), leasehold.check_callback(on_failure), created_by,
    clock_timestamp() + make_interval(secs => skew_seconds)
  FROM jsonb_to_record(document) AS asked (tenant text, name text, parent uuid, meta json,
    on_end jsonb, on_failure jsonb, created_by text)
  ON CONFLICT (id) DO NOTHING;
  RETURN chosen;
END
$$;

-- Locks a batch against all who add to it, after a while in vain (SQLSTATE 55P03).
CREATE FUNCTION leasehold.lock_batch(asked uuid)
RETURNS leasehold.batch
LANGUAGE plpgsql
SET lock_timeout = '5s'
AS $$
DECLARE
  held leasehold.batch;
BEGIN
  SELECT b.* INTO held FROM leasehold.batch AS b WHERE b.id = asked FOR UPDATE;
  RETURN held;
END
$$;

-- Lets nobody add to a batch but its running members; its status then, NULL when there is none.
CREATE FUNCTION leasehold.seal_batch(asked uuid, skew_seconds double precision DEFAULT 0)
RETURNS text
LANGUAGE plpgsql
AS $$
DECLARE
  moment timestamptz := clock_timestamp() + make_interval(secs => skew_seconds);
  status text;
BEGIN
  PERFORM leasehold.lock_batch(asked);
  UPDATE leasehold.batch AS b
  SET sealed_at = coalesce(b.sealed_at, moment)
  WHERE b.id = asked
  RETURNING leasehold.batch_status(b.sealed_at, b.cancelled_at, b.ended_at) INTO status;
  RETURN status;
END
$$;

-- Lets nobody add to a batch, nor to those nested in it, and names them. Ended ones stay as they are.
CREATE FUNCTION leasehold.cancel_batch(asked uuid, who text DEFAULT NULL,
  skew_seconds double precision DEFAULT 0)
RETURNS SETOF uuid
LANGUAGE plpgsql
AS $$
DECLARE
  moment timestamptz := clock_timestamp() + make_interval(secs => skew_seconds);
  level  uuid[] := ARRAY[asked];
  each   uuid;
BEGIN
  WHILE cardinality(level) > 0 LOOP
    FOREACH each IN ARRAY level LOOP
      PERFORM leasehold.lock_batch(each);
      UPDATE leasehold.batch AS b
      SET cancelled_at = coalesce(b.cancelled_at, moment),
        cancelled_by = CASE WHEN b.cancelled_at IS NULL THEN who ELSE b.cancelled_by END,
        sealed_at = coalesce(b.sealed_at, moment)
      WHERE b.id = each AND b.ended_at IS NULL;
      IF FOUND OR each = asked AND EXISTS (SELECT FROM leasehold.batch AS b WHERE b.id = each) THEN
        RETURN NEXT each;
      END IF;
    END LOOP;
    -- A later statement: it sees what was nested before the lock.
    level := ARRAY (
      SELECT b.id
      FROM leasehold.batch AS b
      WHERE b.parent = ANY (level) AND b.ended_at IS NULL
      ORDER BY b.id
    );
  END LOOP;
END
$$;

-- Begins another round of a batch that has ended; its status then, NULL when there is none.
CREATE FUNCTION leasehold.reopen_batch(asked uuid)
RETURNS text
LANGUAGE plpgsql
AS $$
DECLARE
  held leasehold.batch := leasehold.lock_batch(asked);
BEGIN
  IF held.id IS NULL THEN
    RETURN NULL;
  END IF;
  IF held.ended_at IS NULL THEN
    RETURN leasehold.batch_status(held.sealed_at, held.cancelled_at, held.ended_at);
  END IF;
  UPDATE leasehold.batch AS b
  SET round = b.round + 1, sealed_at = NULL, failed_at = NULL, cancelled_at = NULL,
    cancelled_by = NULL, ended_at = NULL
  WHERE b.id = asked;
  RETURN 'open';
END
$$;
