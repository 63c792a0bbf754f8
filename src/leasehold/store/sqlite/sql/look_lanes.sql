-- Lists the lanes of one party that have work, skipping from one to the next, each with its first
-- job's age and cost. Index leasehold_waiting_place.
WITH RECURSIVE next (place) AS (
  SELECT min(place)
  FROM leasehold_waiting
  WHERE place > :after
  AND place < :upto
  UNION ALL
  SELECT (
    SELECT min(place)
    FROM leasehold_waiting
    WHERE place > next.place
    AND place < :upto
  )
  FROM next
  WHERE next.place IS NOT NULL
  LIMIT :page
)
SELECT next.place, head.created_at, coalesce(head.cost, 1)
FROM next
CROSS JOIN leasehold_waiting AS head ON head.job_id = (
  SELECT job_id
  FROM leasehold_waiting
  WHERE place = next.place
  ORDER BY created_at, job_id
  LIMIT 1
)
