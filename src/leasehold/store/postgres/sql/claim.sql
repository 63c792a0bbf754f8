-- Takes leases on ready jobs, each for one worker only: what is locked is skipped, and a row that
-- was deleted here can't be deleted again. One scan per level, each from its own hint: ready_order.
WITH taken AS (
  DELETE FROM leasehold.ready
  WHERE ctid = ANY (ARRAY (
    SELECT picked.ctid
    FROM jsonb_to_recordset(%(levels)s::jsonb) AS level
      (queue text, priority smallint, created_at timestamptz, job_id uuid, most integer)
    CROSS JOIN LATERAL (
      SELECT ready.ctid
      FROM leasehold.ready
      WHERE ready.queue = level.queue
        AND ready.is_suspect = %(is_suspect)s
        AND ready.priority = level.priority
        AND (ready.created_at, ready.job_id) > (level.created_at, level.job_id)
        AND NOT EXISTS ( -- a paused queue gives nothing; looked up once a level
          SELECT
          FROM leasehold.queue
          WHERE queue.name = level.queue
            AND (queue.paused_until > %(skew)s + now()
              OR queue.running_limit IS NOT NULL AND %(gate)s::text IS NULL)
        )
      ORDER BY ready.created_at, ready.job_id
      LIMIT level.most
      FOR UPDATE SKIP LOCKED
    ) AS picked
    LIMIT CASE -- a queue with a limit is claimed by itself: lock, then count
      WHEN %(gate)s::text IS NULL THEN %(limit)s
      ELSE leasehold.queue_room(%(gate)s, %(limit)s)
    END
  ))
  RETURNING job_id, queue, priority, created_at, attempt, failures, lapses, kind, tenant, batch,
    (%(leases)s::jsonb ->> kind)::real AS lease_seconds, -- NULL: a kind that this worker does not know
    tenant <> '' AND tenant = ANY (ARRAY ( -- looked up once, for tenants only
      SELECT quota.tenant FROM leasehold.quota WHERE quota.running IS NOT NULL
    )) AS is_held
),
fence AS MATERIALIZED (
  SELECT nextval('leasehold.fence') AS fence, %(skew)s + now() AS moment
),
leased AS (
  INSERT INTO leasehold.lease (job_id, fence, worker, claimed_at, until, lease_seconds, attempt,
    failures, lapses, priority, tenant, batch, gate)
  SELECT job_id, fence, %(worker)s, moment,
    moment + make_interval(secs => lease_seconds), lease_seconds, attempt + 1,
    failures, lapses, priority, tenant, batch, %(gate)s::text
  FROM taken, fence
  WHERE lease_seconds IS NOT NULL
    AND NOT is_held
)
SELECT job_id, fence,
  CASE
    WHEN is_held OR lease_seconds IS NULL THEN leasehold.set_aside(job_id, queue, priority, created_at,
      attempt, failures, lapses, kind, tenant, batch, is_held)
    ELSE kind
  END,
  queue, job.args::text, attempt + 1, failures, lapses, job.max_attempts, job.timeout_seconds,
  tenant, priority, batch, job.trace, timestamptz_send(created_at) -- read of the last row only
FROM (
  SELECT *
  FROM taken, fence
  ORDER BY array_position(%(queues)s::text[], queue), priority DESC, created_at, job_id
) AS ordered -- sorted while the rows are narrow
CROSS JOIN LATERAL ( -- OFFSET 0: a lookup for each row, whatever the planner thinks of the table
  SELECT args, max_attempts, timeout_seconds, trace
  FROM leasehold.job
  WHERE id = ordered.job_id
  OFFSET 0
) AS job
