-- Lists (queue, stage, priority, share) with work, skipping from one to the next: as many seeks as
-- there are parties. Index leasehold_waiting_place.
WITH RECURSIVE party (head) AS (
  SELECT head
  FROM (
    SELECT substr(place, 1, length(place) - length(lane) - 1) AS head
    FROM leasehold_waiting
    WHERE place >= :after
    AND place < :upto
    ORDER BY place
    LIMIT 1
  )
  UNION ALL
  SELECT substr(following.place, 1, length(following.place) - length(following.lane) - 1)
  FROM party
  CROSS JOIN leasehold_waiting AS following ON following.job_id = (
    SELECT job_id
    FROM leasehold_waiting
    WHERE place >= party.head || ' ' -- sorts after all that begin with the head and the separator
    AND place < :upto
    ORDER BY place
    LIMIT 1
  )
  LIMIT :parties
)
SELECT head
FROM party
