-- Counts those before a job in its lane, up to a limit: index leasehold_waiting_place.
SELECT count(*)
FROM (
  SELECT 1
  FROM leasehold_waiting
  WHERE place = :place
  AND (created_at < :created_at OR created_at = :created_at AND job_id < :id)
  LIMIT :most
)
