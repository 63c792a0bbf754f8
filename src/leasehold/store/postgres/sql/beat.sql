-- Shows that a worker is there (primary key), and tells of the living ones of each of its queues:
-- how many, and which have room. Reads the small worker table.
WITH beaten AS (
  UPDATE leasehold.worker
  SET seen_at = %(skew)s + now(),
    running = %(running)s
  WHERE id = %(id)s
  RETURNING *
),
living AS (
  SELECT id, queues, running < slots AS has_room
  FROM beaten
  UNION ALL
  SELECT id, queues, running < slots
  FROM leasehold.worker
  WHERE id <> %(id)s
    AND ended_at IS NULL
    AND seen_at > %(skew)s + now() - interval '45 seconds'
)
SELECT mine.queue, count(*),
  coalesce(array_agg(living.id ORDER BY living.id) FILTER (WHERE living.has_room), '{}')
FROM beaten
CROSS JOIN unnest(beaten.queues) AS mine (queue)
JOIN living ON mine.queue = ANY (living.queues)
GROUP BY mine.queue
