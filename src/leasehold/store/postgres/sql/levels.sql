-- Lists the (queue, priority) pairs in use by skipping from one to the next, and how long the first
-- job of each has waited: index ready_order.
WITH RECURSIVE level (queue, priority, created_at) AS (
  SELECT wanted.queue, top.priority, top.created_at
  FROM unnest(%(queues)s::text[]) AS wanted (queue)
  CROSS JOIN LATERAL (
    SELECT ready.priority, ready.created_at
    FROM leasehold.ready
    WHERE ready.queue = wanted.queue
      AND ready.is_suspect = %(is_suspect)s
    ORDER BY ready.priority DESC, ready.created_at
    LIMIT 1
  ) AS top
  UNION ALL
  SELECT level.queue, following.priority, following.created_at
  FROM level
  CROSS JOIN LATERAL (
    SELECT ready.priority, ready.created_at
    FROM leasehold.ready
    WHERE ready.queue = level.queue
      AND ready.is_suspect = %(is_suspect)s
      AND ready.priority < level.priority
    ORDER BY ready.priority DESC, ready.created_at
    LIMIT 1
  ) AS following
)
SELECT queue, priority, created_at,
  extract(epoch FROM %(skew)s + now() - created_at)::double precision AS age_seconds
FROM level
