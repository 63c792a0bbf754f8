-- Takes leases on parked jobs of the kinds that this worker knows, or on suspects among them: index
-- parked_order.
WITH taken AS (
  DELETE FROM leasehold.parked
  WHERE ctid = ANY (ARRAY (
    SELECT picked.ctid
    FROM jsonb_object_keys(%(leases)s::jsonb) AS known (kind)
    CROSS JOIN unnest(%(queues)s::text[]) AS wanted (queue)
    CROSS JOIN LATERAL (
      SELECT parked.ctid, parked.priority, parked.created_at, parked.job_id
      FROM leasehold.parked
      WHERE parked.kind = known.kind
        AND parked.queue = wanted.queue
        AND (parked.lapses > 0) = %(is_suspect)s
        AND NOT EXISTS ( -- a paused queue gives nothing
          SELECT
          FROM leasehold.queue
          WHERE queue.name = wanted.queue
            AND (queue.paused_until > %(skew)s + now()
              OR queue.running_limit IS NOT NULL AND %(gate)s::text IS NULL)
        )
      ORDER BY parked.priority DESC, parked.created_at, parked.job_id
      LIMIT %(limit)s
      FOR UPDATE SKIP LOCKED
    ) AS picked
    ORDER BY array_position(%(queues)s::text[], wanted.queue), picked.priority DESC,
      picked.created_at, picked.job_id
    LIMIT CASE -- a queue with a limit is claimed by itself: lock, then count
      WHEN %(gate)s::text IS NULL THEN %(limit)s
      ELSE leasehold.queue_room(%(gate)s, %(limit)s)
    END
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
