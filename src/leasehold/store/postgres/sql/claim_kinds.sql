-- Takes leases on ready jobs of some kinds on one level; others stay. What is locked is skipped. Index
-- ready_order, and of that no more than the first rows: what stands behind them waits for another time.
WITH ahead AS MATERIALIZED (
  SELECT created_at, job_id
  FROM leasehold.ready
  WHERE queue = %(queue)s
    AND is_suspect = %(is_suspect)s
    AND priority = %(priority)s::smallint
  ORDER BY created_at, job_id
  LIMIT %(look_ahead)s
),
last AS MATERIALIZED (
  SELECT created_at, job_id FROM ahead ORDER BY created_at DESC, job_id DESC LIMIT 1
),
taken AS (
  DELETE FROM leasehold.ready
  WHERE ctid = ANY (ARRAY (
    SELECT ready.ctid
    FROM leasehold.ready
    WHERE ready.queue = %(queue)s
      AND ready.is_suspect = %(is_suspect)s
      AND ready.priority = %(priority)s::smallint
      AND (ready.created_at, ready.job_id)
        <= ((SELECT created_at FROM last), (SELECT job_id FROM last))
      AND ready.kind = ANY (%(kinds)s::text[])
      AND NOT EXISTS ( -- a paused queue gives nothing
        SELECT
        FROM leasehold.queue
        WHERE queue.name = %(queue)s
          AND (queue.paused_until > %(skew)s + now()
            OR queue.running_limit IS NOT NULL AND %(gate)s::text IS NULL)
      )
    ORDER BY ready.created_at, ready.job_id
    LIMIT CASE -- a queue with a limit is claimed by itself: lock, then count
      WHEN %(gate)s::text IS NULL THEN %(limit)s
      ELSE leasehold.queue_room(%(gate)s, %(limit)s)
    END
    FOR UPDATE SKIP LOCKED
  ))
  RETURNING job_id, queue, priority, created_at, attempt, failures, lapses, kind, tenant, batch,
    (%(leases)s::jsonb ->> kind)::real AS lease_seconds,
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
  WHERE NOT is_held
)
SELECT job_id, fence,
  CASE
    WHEN is_held THEN leasehold.set_aside(job_id, queue, priority, created_at,
      attempt, failures, lapses, kind, tenant, batch, is_held)
    ELSE kind
  END,
  queue, job.args::text, attempt + 1, failures, lapses, job.max_attempts, job.timeout_seconds,
  tenant, priority, batch, job.trace, timestamptz_send(created_at)
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
