-- Lists the (queue, priority) pairs in use by skipping from one to the next: index ready_order.
WITH RECURSIVE level (queue, priority) AS (
  SELECT wanted.queue, top.priority
  FROM unnest(%(queues)s::text[]) AS wanted (queue)
  CROSS JOIN LATERAL (
    SELECT ready.priority
    FROM leasehold.ready
    WHERE ready.queue = wanted.queue
      AND ready.is_suspect = %(is_suspect)s
    ORDER BY ready.priority DESC
    LIMIT 1
  ) AS top
  UNION ALL
  SELECT level.queue, following.priority
  FROM level
  CROSS JOIN LATERAL (
    SELECT ready.priority
    FROM leasehold.ready
    WHERE ready.queue = level.queue
      AND ready.is_suspect = %(is_suspect)s
      AND ready.priority < level.priority
    ORDER BY ready.priority DESC
    LIMIT 1
  ) AS following
)
SELECT queue, priority
FROM level
