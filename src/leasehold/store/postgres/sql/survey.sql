-- Says whether there is anything to do for a worker, and when the next scheduled job is due. An idle
-- worker asks this, and nothing else, each second: ready_order, parked_order, scheduled_due.
SELECT
  EXISTS (
    SELECT
    FROM unnest(%(queues)s::text[]) AS wanted (queue)
    CROSS JOIN LATERAL (
      SELECT FROM leasehold.ready WHERE ready.queue = wanted.queue AND NOT is_suspect LIMIT 1
    ) AS found
  ),
  EXISTS (
    SELECT
    FROM unnest(%(queues)s::text[]) AS wanted (queue)
    CROSS JOIN LATERAL (
      SELECT FROM leasehold.ready WHERE ready.queue = wanted.queue AND is_suspect LIMIT 1
    ) AS found
  ),
  EXISTS (
    SELECT
    FROM unnest(%(kinds)s::text[]) AS known (kind)
    CROSS JOIN unnest(%(queues)s::text[]) AS wanted (queue)
    CROSS JOIN LATERAL (
      SELECT
      FROM leasehold.parked
      WHERE parked.kind = known.kind
        AND parked.queue = wanted.queue
      LIMIT 1
    ) AS found
  ),
  (
    SELECT extract(epoch FROM run_at - (%(skew)s + now()))::double precision
    FROM leasehold.scheduled
    ORDER BY run_at
    LIMIT 1
  )
