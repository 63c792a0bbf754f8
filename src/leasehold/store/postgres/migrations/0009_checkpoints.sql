-- serves code from 1
-- Where jobs go on: what an attempt saves, fenced by its lease, the next attempt finds.

-- `done` never goes back, whatever an attempt says.
CREATE TABLE leasehold.checkpoint (
  job_id   uuid             NOT NULL PRIMARY KEY,
  tenant   text             NOT NULL DEFAULT '',
  saved_at timestamptz      NOT NULL,
  done     double precision, -- units of work
  total    double precision,
  note     text,
  cursor   json
) WITH (fillfactor = 50);

-- Steps that have been done, with what they returned.
CREATE TABLE leasehold.step (
  job_id  uuid        NOT NULL,
  name    text        NOT NULL,
  tenant  text        NOT NULL DEFAULT '',
  done_at timestamptz NOT NULL,
  result  json,
  PRIMARY KEY (job_id, name)
);

-- Saves, one after the other: `[{"job_id": …, "fence": …, "cursor": …, "done": …, "total": …,
-- "note": …, "step": …, "result": …}]`, cursor and result as JSON in a text; what is not given stays.
-- Primary keys. Says for each whether its lease stands; when all of them must, one that does not is an
-- error. In a caller's transaction the lease is held until that ends: one that does nothing for
-- idle_seconds is rolled back, so that a worker that stopped does not keep its job for ever.
CREATE FUNCTION leasehold.save(
  saves        text,
  worker       bigint,
  skew_seconds double precision DEFAULT 0,
  must_stand   boolean DEFAULT false,
  idle_seconds double precision DEFAULT NULL)
RETURNS boolean[]
LANGUAGE plpgsql
SET lock_timeout = '2s' -- of a caller's transaction that has saved for the same job
SET jit = off
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
#variable_conflict use_variable
DECLARE
  moment  timestamptz := clock_timestamp() + make_interval(secs => skew_seconds);
  allowed interval;
  asked   record;
  holder  text; -- the tenant
  stands  boolean[] := '{}';
BEGIN
  IF idle_seconds IS NOT NULL THEN
    allowed := current_setting('idle_in_transaction_session_timeout')::interval;
    IF allowed = interval '0' OR allowed > make_interval(secs => idle_seconds) THEN
      PERFORM set_config('idle_in_transaction_session_timeout', ceil(idle_seconds * 1000)::bigint::text, true);
    END IF;
  END IF;
  FOR asked IN
    SELECT said.*
    FROM json_to_recordset(saves::json) AS said (job_id uuid, fence bigint, cursor text,
      done double precision, total double precision, note text, step text, result text)
  LOOP
    -- The fence. Locked, so that it can't be taken back before this commits: else the next attempt's
    -- checkpoint could be overwritten. Does not conflict with renewals.
    SELECT l.tenant INTO holder
    FROM leasehold.lease AS l
    WHERE l.job_id = asked.job_id
      AND l.fence = asked.fence
      AND l.worker = worker
    FOR KEY SHARE;
    stands := stands || FOUND;
    IF NOT FOUND THEN
      IF must_stand THEN
        RAISE EXCEPTION USING
          ERRCODE = 'LH002',
          MESSAGE = format('job %s: the lease with fence %s does not stand any more',
            asked.job_id, asked.fence);
      END IF;
      CONTINUE;
    END IF;
    IF num_nonnulls(asked.cursor, asked.done, asked.total, asked.note) > 0 THEN
      INSERT INTO leasehold.checkpoint AS c (job_id, tenant, saved_at, done, total, note, cursor)
      VALUES (asked.job_id, holder, moment, asked.done, asked.total, asked.note, asked.cursor::json)
      ON CONFLICT ON CONSTRAINT checkpoint_pkey DO UPDATE
      SET saved_at = excluded.saved_at,
        done = greatest(c.done, excluded.done),
        total = coalesce(excluded.total, c.total),
        note = coalesce(excluded.note, c.note),
        cursor = coalesce(excluded.cursor, c.cursor);
    END IF;
    IF asked.step IS NOT NULL THEN
      INSERT INTO leasehold.step (job_id, name, tenant, done_at, result)
      VALUES (asked.job_id, asked.step, holder, moment, asked.result::json)
      ON CONFLICT ON CONSTRAINT step_pkey DO NOTHING; -- the first memory stays
    END IF;
  END LOOP;
  RETURN stands;
END
$$;
