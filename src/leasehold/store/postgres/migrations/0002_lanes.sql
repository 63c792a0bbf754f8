-- serves code from 1
-- Lanes: jobs with a throttle or a share stand in waiting, never in ready, until they may start. No row
-- is made for a key: an enqueue would wait for another one's open transaction. See ARCHITECTURE.md.

-- Due, and waiting for its lane. `lane` is the throttle's key ('' without one), `place` says where it
-- stands in line: all rows of one place are one lane, and a claim takes them in this order. It is one
-- text, generated so that no statement can get it wrong, and sorted by its bytes: skipping from lane
-- to lane over five columns took three times as long.
CREATE TABLE leasehold.waiting (
  job_id     uuid        NOT NULL,
  created_at timestamptz NOT NULL,
  attempt    integer     NOT NULL DEFAULT 0,
  failures   integer     NOT NULL DEFAULT 0,
  lapses     integer     NOT NULL DEFAULT 0,
  priority   smallint    NOT NULL,
  stage      text        NOT NULL DEFAULT '', -- '' for all, '!' suspects, '=kind' for who knows it, '#' behind another job
  queue      text        NOT NULL,
  kind       text        NOT NULL,
  tenant     text        NOT NULL DEFAULT '',
  share      text        NOT NULL DEFAULT '',
  lane       text COLLATE "C" NOT NULL DEFAULT '',
  batch      uuid,
  cost       double precision,
  place      text COLLATE "C" NOT NULL GENERATED ALWAYS AS (
    queue || E'\x1f' || stage || E'\x1f' || lpad((32767 - priority)::text, 5, '0')
      || E'\x1f' || share || E'\x1f' || lane
  ) STORED
);
CREATE UNIQUE INDEX waiting_place ON leasehold.waiting (place, created_at, job_id);
CREATE UNIQUE INDEX waiting_job ON leasehold.waiting (job_id);

-- What people and code say about throttles: a rule ('domain') or one key of it ('domain:a.com'); of a
-- throttle that is each tenant's own ('@domain') also a tenant's keys, all of them or one ('@domain:acme'
-- and U+001E, and the key). Claims only read it. A row with a tenant is what that tenant says about its own
-- keys: it can only make them stricter.
CREATE TABLE leasehold.throttle (
  name         text COLLATE "C" NOT NULL,
  tenant       text COLLATE "C" NOT NULL DEFAULT '',
  running      integer          CHECK (running >= 0),    -- at once, in all processes
  per_worker   integer          CHECK (per_worker >= 0), -- at once, in one worker
  rate         double precision CHECK (rate > 0),        -- units per second
  burst        double precision CHECK (burst > 0),
  paused_until timestamptz, -- 'infinity': until resumed
  pause_reason text,
  paused_by    text,
  set_by       text, -- NULL: as the code declared it
  updated_at   timestamptz      NOT NULL,
  PRIMARY KEY (name, tenant),
  CHECK ((rate IS NULL) = (burst IS NULL))
);

-- How far a key's rate is used up: the moment at which its bucket is full again. No row: it is full.
-- Written under the key's turnstile only.
CREATE TABLE leasehold.bucket (
  lane    text COLLATE "C" NOT NULL,
  tenant  text COLLATE "C" NOT NULL DEFAULT '', -- whose own the key is
  full_at timestamptz      NOT NULL,
  PRIMARY KEY (lane, tenant)
) WITH (fillfactor = 50);

-- What attempts spent more, or less, than was reserved: finish adds, the key's next claim takes in.
CREATE TABLE leasehold.charge (
  lane   text COLLATE "C" NOT NULL,
  tenant text             NOT NULL DEFAULT '',
  amount double precision NOT NULL
);
CREATE INDEX charge_lane ON leasehold.charge (lane);

-- Who may admit to a key just now: the lock of hashtext(key) & 8191. Rows are locked, never changed.
CREATE TABLE leasehold.turnstile (number integer NOT NULL PRIMARY KEY);
INSERT INTO leasehold.turnstile SELECT generate_series(0, 8191);

-- Shares whose weight somebody set.
CREATE TABLE leasehold.share (
  name       text        NOT NULL PRIMARY KEY,
  tenant     text        NOT NULL DEFAULT '',
  weight     integer     NOT NULL CHECK (weight BETWEEN 1 AND 1000),
  set_by     text,
  updated_at timestamptz NOT NULL
);

-- Queues that somebody has changed.
CREATE TABLE leasehold.queue (
  name          text             NOT NULL PRIMARY KEY,
  tenant        text             NOT NULL DEFAULT '',
  paused_until  timestamptz, -- 'infinity': until resumed
  pause_reason  text,
  paused_by     text,
  aging_seconds double precision CHECK (aging_seconds > 0),
  updated_at    timestamptz      NOT NULL
);

-- Makes the key of what was asked for where it is each tenant's own; U+001E, which no name can have, ends
-- the tenant. model/lanes.py says the same.
CREATE FUNCTION leasehold.own_lane(asked text, tenant text)
RETURNS text
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT CASE
    WHEN left(asked, 1) = '@'
      THEN split_part(asked, ':', 1) || ':' || tenant || E'\x1e'
        || substr(asked, length(split_part(asked, ':', 1)) + 2)
    ELSE asked
  END
$$;

-- Says whose own a key is; NULL: it is a rule, or all tenants'.
CREATE FUNCTION leasehold.lane_tenant(lane text)
RETURNS text
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT CASE
    WHEN strpos(lane, E'\x1e') > 0
      THEN substr(split_part(lane, E'\x1e', 1), length(split_part(lane, ':', 1)) + 2)
  END
$$;

-- The name that a key was made of, as people write it.
CREATE FUNCTION leasehold.shown_lane(lane text)
RETURNS text
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT CASE
    WHEN strpos(lane, E'\x1e') > 0
      THEN concat_ws(':', split_part(lane, ':', 1), nullif(substr(lane, strpos(lane, E'\x1e') + 1), ''))
    ELSE lane
  END
$$;

-- What is said of keys that are a tenant's own, beside the key and its rule: by operators, of all that the
-- tenant has of that rule; by the tenant itself. A function, so that who has no such key does not pay for
-- the start of its plan. Primary key.
CREATE FUNCTION leasehold.said_of_tenants(keys text[])
RETURNS TABLE (key text, running integer, per_worker integer, rate double precision,
  burst double precision, paused_until timestamptz, most integer, own_pause timestamptz)
LANGUAGE plpgsql
STABLE
ROWS 1
AS $$
BEGIN
  IF strpos(array_to_string(keys, ''), E'\x1e') = 0 THEN
    RETURN;
  END IF;
  RETURN QUERY
  SELECT own.key, every.running, every.per_worker, every.rate, every.burst, every.paused_until,
    least(mine.running, all_mine.running), greatest(mine.paused_until, all_mine.paused_until)
  FROM (
    SELECT asked.key, left(asked.key, strpos(asked.key, E'\x1e')) AS every,
      nullif(leasehold.lane_tenant(asked.key), '') AS tenant
    FROM unnest(keys) AS asked (key)
    WHERE strpos(asked.key, E'\x1e') > 0
  ) AS own
  LEFT JOIN LATERAL (
    SELECT * FROM leasehold.throttle AS t WHERE t.name = own.every AND t.tenant = '' OFFSET 0
  ) AS every ON true
  LEFT JOIN LATERAL (
    SELECT * FROM leasehold.throttle AS t WHERE t.name = own.key AND t.tenant = own.tenant OFFSET 0
  ) AS mine ON true
  LEFT JOIN LATERAL (
    SELECT * FROM leasehold.throttle AS t WHERE t.name = own.every AND t.tenant = own.tenant OFFSET 0
  ) AS all_mine ON true;
END
$$;

-- How keys stand at a moment: the one predicate of the claim, of the look for lanes and of `why`
-- (model/lanes.py says the same). A key without own limits has its rule's, a tenant's own one those of all
-- the tenant's first; one of a rule that nobody has declared has no room. What a tenant says of its own
-- can only lower that. `keys` are distinct; PostgreSQL puts this into the statements that call it.
CREATE FUNCTION leasehold.lane_states(keys text[], who bigint, moment timestamptz)
RETURNS TABLE (number bigint, lane text, is_known boolean, paused_until timestamptz, running bigint,
  room bigint, over bigint, rate double precision, burst double precision, tokens double precision)
LANGUAGE sql
STABLE
AS $$
  WITH rule AS MATERIALIZED (
    SELECT name, running, per_worker, rate, burst, paused_until
    FROM leasehold.throttle
    WHERE name = ANY (keys || ARRAY (SELECT DISTINCT split_part(key, ':', 1) FROM unnest(keys) AS key))
      AND tenant = ''
  ),
  said AS MATERIALIZED (
    SELECT asked.number, asked.key,
      -- by a limit, not by a row: pausing a rule that nobody declared does not open it
      coalesce(own.running, theirs.running, common.running) IS NOT NULL
        OR coalesce(own.per_worker, theirs.per_worker, common.per_worker) IS NOT NULL
        OR coalesce(own.rate, theirs.rate, common.rate) IS NOT NULL AS is_known,
      greatest(own.paused_until, theirs.paused_until, common.paused_until, theirs.own_pause)
        AS paused_until,
      least(coalesce(own.running, theirs.running, common.running), theirs.most) AS running,
      coalesce(own.per_worker, theirs.per_worker, common.per_worker) AS per_worker,
      coalesce(own.rate, theirs.rate, common.rate) AS rate,
      CASE
        WHEN own.rate IS NOT NULL THEN own.burst
        WHEN theirs.rate IS NOT NULL THEN theirs.burst
        ELSE common.burst
      END AS burst
    FROM unnest(keys) WITH ORDINALITY AS asked (key, number)
    LEFT JOIN rule AS own ON own.name = asked.key
    LEFT JOIN rule AS common ON common.name = split_part(asked.key, ':', 1)
    LEFT JOIN leasehold.said_of_tenants(keys) AS theirs ON theirs.key = asked.key
  ),
  held AS MATERIALIZED (
    SELECT lease.lane, count(*) AS running, count(*) FILTER (WHERE lease.worker = who) AS here
    FROM leasehold.lease
    WHERE lease.lane = ANY (keys)
      AND lease.lane <> '' -- the index is on these
      AND NOT lease.shares_slot
    GROUP BY lease.lane
  ),
  -- What follows looks for nothing where no key has a rate.
  used AS MATERIALIZED (
    SELECT bucket.lane, extract(epoch FROM bucket.full_at - moment)::double precision AS seconds
    FROM leasehold.bucket
    WHERE bucket.lane = ANY (ARRAY (SELECT key FROM said WHERE rate IS NOT NULL))
  ),
  owed AS MATERIALIZED (
    SELECT charge.lane, sum(charge.amount) AS amount
    FROM leasehold.charge
    WHERE charge.lane = ANY (ARRAY (SELECT key FROM said WHERE rate IS NOT NULL))
    GROUP BY charge.lane
  )
  SELECT said.number, said.key, said.is_known, said.paused_until, coalesce(held.running, 0),
    CASE
      WHEN NOT said.is_known OR said.paused_until > moment THEN 0
      ELSE greatest(0, least(
        said.running - coalesce(held.running, 0), said.per_worker - coalesce(held.here, 0), 2147483647))
    END,
    greatest(0, held.running - said.running, held.here - said.per_worker), -- since a limit was lowered
    said.rate, said.burst,
    CASE
      -- as if claims had reserved what their attempts spent: so a debt is paid off by time, although
      -- nobody takes it in while no job of the key may start
      WHEN said.rate IS NOT NULL
        THEN said.burst
          - greatest(0, coalesce(owed.amount, 0) + said.rate * coalesce(used.seconds, 0))
    END
  FROM said
  LEFT JOIN held ON held.lane = said.key
  LEFT JOIN used ON used.lane = said.key
  LEFT JOIN owed ON owed.lane = said.key
$$;

-- Refuses a claim that would lease a job and leave it waiting: somebody has changed its row by hand, in
-- place, just now. The next one sees it.
CREATE FUNCTION leasehold.all_taken(chosen bigint, taken bigint)
RETURNS boolean
LANGUAGE plpgsql
STABLE
AS $$
BEGIN
  IF chosen <> taken THEN
    RAISE EXCEPTION USING
      ERRCODE = '40001',
      MESSAGE = 'a row of leasehold.waiting was changed in place while it was claimed';
  END IF;
  RETURN true;
END
$$;

-- Locks the turnstiles of the keys of these places, and names the keys whose turnstile is ours then. Who calls
-- it counts them in a later statement of the same transaction: lock, then look. Nothing here waits.
CREATE FUNCTION leasehold.lock_keys(places text[])
RETURNS text[]
LANGUAGE plpgsql
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_mergejoin = off
SET enable_hashjoin = on
SET enable_nestloop = off
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  keys text[] := ARRAY (
    SELECT DISTINCT split_part(place, E'\x1f', 5)
    FROM unnest(places) AS place
    WHERE split_part(place, E'\x1f', 5) <> '');
  mine integer[];
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION USING
      ERRCODE = 'LH003',
      MESSAGE = 'leasehold.claim_lanes counts in a statement after its lock: it needs READ COMMITTED',
      HINT = 'ALTER ROLE … SET default_transaction_isolation = ''read committed''';
  END IF;
  mine := ARRAY (
    SELECT number
    FROM leasehold.turnstile
    WHERE number = ANY (ARRAY (SELECT hashtext(key) & 8191 FROM unnest(keys) AS key))
    FOR UPDATE SKIP LOCKED);
  RETURN ARRAY (
    SELECT key
    FROM unnest(keys) AS key
    WHERE (hashtext(key) & 8191) IN (SELECT unnest(mine))); -- hashed: = ANY compares each with each
END
$$;

-- Takes leases on waiting jobs, in the order of the places, at most `mosts` of each and what its key
-- has room for. One call, so that a worker that stops can't hold the turnstiles: lock, then look, then
-- take. Nothing here waits. Jobs of kinds without a lease are set aside in their lane; of those that
-- were set aside before, only suspects come, or only others. waiting_place, lease_lane, primary keys.
-- With only_batch or only_kinds all others of a lane are passed over, and stay. A queue with a limit gives
-- nothing but through its gate, and then it alone does. Jobs of tenants that may not run more than so many
-- are set aside, too, at the stage of their tenant; there the holder's count. A row without a job names a
-- place whose key another claim has just now: that may have counted before a slot was freed.
CREATE FUNCTION leasehold.claim_lanes(places text[], mosts integer[], room_here integer, leases jsonb,
  who bigint, skew interval, suspects boolean, only_batch uuid DEFAULT NULL,
  only_kinds text[] DEFAULT NULL, gate text DEFAULT NULL, holder text DEFAULT NULL)
RETURNS TABLE (number bigint, job_id uuid, fence bigint, kind text, args text, attempt integer,
  failures integer, lapses integer, max_attempts smallint, timeout_seconds real, tenant text, batch uuid,
  trace text)
LANGUAGE plpgsql
SET jit = off
SET enable_seqscan = off
SET enable_bitmapscan = off -- it never marks dead entries: a busy key's count grew with each job
SET enable_mergejoin = off
SET enable_hashjoin = on
SET enable_nestloop = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  moment timestamptz;
  keys   text[];
  ticket bigint;
BEGIN
  -- Lock …
  IF gate IS NOT NULL THEN
    room_here := leasehold.queue_room(gate, room_here);
  END IF;
  IF holder IS NOT NULL THEN
    room_here := leasehold.tenant_room(holder, room_here);
  END IF;
  keys := leasehold.lock_keys(places);
  moment := skew + clock_timestamp();
  ticket := nextval('leasehold.fence');
  -- … then look: a later statement, with a later snapshot.
  RETURN QUERY
  WITH state AS MATERIALIZED (
    SELECT * FROM leasehold.lane_states(keys, who, moment)
  ),
  asked AS MATERIALIZED (
    SELECT number, place, most, split_part(place, E'\x1f', 1) AS queue,
      split_part(place, E'\x1f', 2) AS stage, split_part(place, E'\x1f', 5) AS lane
    FROM unnest(places, mosts) WITH ORDINALITY AS ask (place, most, number)
  ),
  open AS MATERIALIZED (
    SELECT asked.number, asked.place, asked.lane, asked.most, state.number AS key, state.room,
      state.rate, state.burst, state.tokens,
      CASE WHEN left(asked.stage, 1) IN ('=', '@') THEN suspects ELSE asked.stage = '!' END
        AS is_for_suspects
    FROM asked
    LEFT JOIN state ON state.lane = asked.lane
    WHERE (asked.lane = '' OR state.room > 0 AND (state.rate IS NULL OR state.tokens > 0))
      AND asked.queue <> ALL (ARRAY (
        SELECT name
        FROM leasehold.queue
        WHERE name = ANY (ARRAY (SELECT DISTINCT queue FROM asked))
          AND (paused_until > moment OR running_limit IS NOT NULL AND name IS DISTINCT FROM gate)
      ))
  ),
  chosen AS MATERIALIZED (
    SELECT *
    FROM (
      SELECT open.number, open.key, open.room, open.rate, open.burst, open.tokens, waiting.*,
        CASE -- NULL: a kind that is not known here, or a tenant whose jobs are counted elsewhere
          WHEN waiting.tenant = '' OR waiting.tenant = holder OR waiting.tenant <> ALL (ARRAY (
            SELECT quota.tenant FROM leasehold.quota WHERE quota.running IS NOT NULL
          )) THEN (leases ->> waiting.kind)::real
        END AS lease_seconds,
        row_number() OVER of_key AS nth,
        sum(waiting.spends) OVER of_key AS spent
      FROM open
      CROSS JOIN LATERAL (
        SELECT w.ctid AS at, w.created_at, w.job_id, w.attempt, w.failures, w.lapses, w.priority,
          w.kind, w.tenant, w.lane, w.batch, coalesce(w.cost, 1) AS spends
        FROM leasehold.waiting AS w
        WHERE w.place = open.place
          AND (w.lapses > 0) = open.is_for_suspects
          AND (only_batch IS NULL OR w.batch = only_batch)
          AND (only_kinds IS NULL OR w.kind = ANY (only_kinds))
        ORDER BY w.created_at, w.job_id
        LIMIT least(open.room, open.most)
        FOR UPDATE SKIP LOCKED
      ) AS waiting
      WINDOW of_key AS (PARTITION BY open.key ORDER BY open.number, waiting.created_at, waiting.job_id)
    ) AS seen
    WHERE key IS NULL
       OR nth <= room AND (rate IS NULL OR spent - spends + least(spends, burst) <= tokens)
    ORDER BY number, nth
    LIMIT room_here
  ),
  taken AS ( -- locked above: nobody else can
    DELETE FROM leasehold.waiting AS w
    WHERE w.ctid = ANY (ARRAY (SELECT at FROM chosen))
    RETURNING 1
  ),
  leased AS (
    INSERT INTO leasehold.lease (job_id, fence, worker, claimed_at, until, lease_seconds, attempt,
      failures, lapses, priority, tenant, lane, batch, cost, gate, holder)
    SELECT job_id, ticket, who, moment, moment + make_interval(secs => lease_seconds),
      lease_seconds, attempt + 1, failures, lapses, priority, tenant,
      CASE -- one that was held for its tenant may have none
        WHEN holder IS NULL THEN lane
        ELSE (SELECT job.lane FROM leasehold.job WHERE job.id = chosen.job_id)
      END,
      batch,
      CASE WHEN rate IS NOT NULL THEN spends END, claim_lanes.gate, claim_lanes.holder
    FROM chosen
    WHERE lease_seconds IS NOT NULL
  ),
  set_aside AS (
    INSERT INTO leasehold.waiting (job_id, created_at, attempt, failures, lapses, priority, stage,
      queue, kind, tenant, share, lane, batch, cost)
    SELECT chosen.job_id, chosen.created_at, chosen.attempt, chosen.failures, chosen.lapses,
      chosen.priority,
      CASE WHEN leases ? chosen.kind THEN '@' || chosen.tenant ELSE '=' || chosen.kind END,
      job.queue, chosen.kind, chosen.tenant,
      coalesce(job.share, ''), chosen.lane, chosen.batch, job.cost
    FROM chosen
    CROSS JOIN LATERAL (
      SELECT queue, share, cost FROM leasehold.job WHERE job.id = chosen.job_id OFFSET 0
    ) AS job
    WHERE chosen.lease_seconds IS NULL
      AND (SELECT count(*) FROM taken) > 0 -- they must have left before they come back
  ),
  folded AS (
    DELETE FROM leasehold.charge
    WHERE charge.lane = ANY (ARRAY (SELECT state.lane FROM state WHERE rate IS NOT NULL))
    RETURNING lane
  ),
  spending AS (
    SELECT lane, sum(amount) AS amount
    FROM (
      SELECT lane, spends AS amount
      FROM chosen
      WHERE rate IS NOT NULL
        AND lease_seconds IS NOT NULL
      UNION ALL
      SELECT lane, 0 FROM folded -- the tokens are less what was owed
    ) AS part
    GROUP BY lane
  ),
  poured AS (
    INSERT INTO leasehold.bucket (lane, tenant, full_at)
    -- rounded up, so that a window never holds more than burst + rate x window
    SELECT lane, coalesce(leasehold.lane_tenant(lane), ''), moment + make_interval(secs =>
      ceil(least((state.burst - state.tokens + spending.amount) / state.rate, 1e9) * 1e6) / 1e6)
    FROM spending
    JOIN state USING (lane)
    ON CONFLICT (lane, tenant) DO UPDATE
    SET full_at = excluded.full_at
  )
  SELECT chosen.number, chosen.job_id, ticket, chosen.kind, job.args::text, chosen.attempt + 1,
    chosen.failures, chosen.lapses, job.max_attempts, job.timeout_seconds, chosen.tenant, chosen.batch,
    job.trace
  FROM chosen
  CROSS JOIN LATERAL ( -- OFFSET 0: a lookup for each row, whatever the planner thinks of the table
    SELECT args, max_attempts, timeout_seconds, trace
    FROM leasehold.job
    WHERE job.id = chosen.job_id
    OFFSET 0
  ) AS job
  WHERE chosen.lease_seconds IS NOT NULL
    AND leasehold.all_taken((SELECT count(*) FROM chosen), (SELECT count(*) FROM taken))
  UNION ALL
  SELECT asked.number, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
  FROM asked
  WHERE asked.lane <> ''
    AND asked.lane NOT IN (SELECT unnest(keys));
END
$$;

-- Takes leases on lines of short jobs: for each slot that a place is asked for, and its key has, several that
-- their worker runs one after the other: its part of `room_here`, but no more than `longest`. A lane's come in
-- their order, to be dealt to its slots in turns; the last of a line has its slot. Locks and counts as
-- claim_lanes does. Whatever more might keep a job back is left to that: a rate, the limit of a queue or tenant;
-- also lanes whose next jobs are not all short. A row without a job for each key with room says how many slots
-- it gave, and NULL where it is left; -1 where another claim has the key just now. No two places are of one key.
CREATE FUNCTION leasehold.claim_lines(places text[], mosts integer[], room_here integer, longest integer,
  short text[], leases jsonb, who bigint, skew interval)
RETURNS TABLE (lane text, job_id uuid, fence bigint, kind text, args text, attempt integer,
  failures integer, lapses integer, max_attempts smallint, timeout_seconds real, tenant text, batch uuid,
  trace text, slots integer)
LANGUAGE plpgsql
SET jit = off
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_mergejoin = off
SET enable_hashjoin = on
SET enable_nestloop = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  moment timestamptz;
  keys   text[] := leasehold.lock_keys(places); -- lock …
  ticket bigint := nextval('leasehold.fence');
BEGIN
  moment := skew + clock_timestamp();
  -- … then look: a later statement, with a later snapshot.
  RETURN QUERY
  WITH open AS MATERIALIZED (
    SELECT state.lane, asked.place, least(asked.most, state.room)::integer AS slots,
      state.rate IS NOT NULL
        OR split_part(asked.place, E'\x1f', 1) = ANY (ARRAY (
          SELECT name FROM leasehold.queue WHERE paused_until > moment OR running_limit IS NOT NULL
        )) AS is_bound
    FROM unnest(places, mosts) AS asked (place, most)
    JOIN leasehold.lane_states(keys, who, moment) AS state
      ON state.lane = split_part(asked.place, E'\x1f', 5)
    WHERE state.room > 0
  ),
  seen AS MATERIALIZED ( -- where they stand; the rows come from their deletion
    SELECT open.lane, open.slots, open.is_bound, line.jobs, line.are_fit
    FROM open
    CROSS JOIN LATERAL (
      SELECT array_agg(first.at) AS jobs, bool_and(first.is_fit) AS are_fit
      FROM (
        SELECT w.ctid AS at,
          w.kind = ANY (short) AND (w.tenant = '' OR w.tenant <> ALL (ARRAY (
            SELECT quota.tenant FROM leasehold.quota WHERE quota.running IS NOT NULL
          ))) AS is_fit
        FROM leasehold.waiting AS w
        WHERE w.place = open.place
          AND w.lapses = 0
          AND NOT open.is_bound
        ORDER BY w.created_at, w.job_id
        LIMIT open.slots * (SELECT greatest(1, least(longest, room_here / sum(slots))) FROM open)
        FOR UPDATE SKIP LOCKED
      ) AS first
    ) AS line
  ),
  chosen AS MATERIALIZED (
    SELECT slots, jobs FROM seen WHERE are_fit
  ),
  taken AS ( -- locked above: nobody else can
    DELETE FROM leasehold.waiting AS w
    WHERE w.ctid = ANY (ARRAY (SELECT unnest(jobs) FROM chosen))
    RETURNING w.ctid AS at, w.job_id, w.created_at, w.attempt, w.failures, w.priority, w.kind, w.tenant,
      w.lane, w.batch
  ),
  leased AS ( -- as they stood, which is nearly the order of their ids
    INSERT INTO leasehold.lease (job_id, fence, worker, claimed_at, until, lease_seconds, attempt,
      failures, lapses, priority, tenant, lane, batch, shares_slot)
    SELECT job_id, ticket, who, moment, moment + make_interval(secs => lease_seconds), lease_seconds,
      attempt + 1, failures, 0, priority, tenant, lane, batch,
      at NOT IN (SELECT unnest(jobs[1 + cardinality(jobs) - slots:]) FROM chosen)
    FROM (SELECT *, (leases ->> kind)::real AS lease_seconds FROM taken) AS taken
  )
  SELECT taken.lane, taken.job_id, ticket, taken.kind, job.args::text, taken.attempt + 1,
    taken.failures, 0, job.max_attempts, job.timeout_seconds, taken.tenant, taken.batch, job.trace, NULL
  FROM (SELECT * FROM taken ORDER BY created_at, job_id) AS taken -- nearly as they stood
  CROSS JOIN LATERAL ( -- OFFSET 0: a lookup for each row, whatever the planner thinks of the table
    SELECT args, max_attempts, timeout_seconds, trace
    FROM leasehold.job
    WHERE job.id = taken.job_id
    OFFSET 0
  ) AS job
  WHERE leasehold.all_taken((SELECT sum(cardinality(jobs)) FROM chosen), (SELECT count(*) FROM taken))
  UNION ALL
  SELECT seen.lane, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    CASE
      WHEN seen.is_bound OR NOT seen.are_fit THEN NULL
      ELSE seen.slots -- also where nothing waits any more
    END
  FROM seen
  UNION ALL
  SELECT split_part(place, E'\x1f', 5), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, -1
  FROM unnest(places) AS place
  WHERE split_part(place, E'\x1f', 5) NOT IN (SELECT unnest(keys));
END
$$;
