-- Sets aside what stands at the head of a lane and is of no known kind, for a worker that knows it:
-- its place is another then. Index leasehold_waiting_place.
UPDATE leasehold_waiting
SET stage = '=' || kind
WHERE job_id IN (
  SELECT job_id
  FROM (
    SELECT job_id, kind
    FROM leasehold_waiting
    WHERE place = :place
    ORDER BY created_at, job_id
    LIMIT :limit
  )
  WHERE kind NOT IN (SELECT value FROM json_each(:kinds))
)
