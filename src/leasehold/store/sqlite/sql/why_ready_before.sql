-- Counts those before a job in its queue, up to a limit, and says the highest priority among all of
-- them: primary key of ready, in two ranges, since one comparison over both could not use it.
SELECT count(*), (
  SELECT priority
  FROM leasehold_ready
  WHERE queue = :queue
  AND is_suspect = :is_suspect
  ORDER BY priority DESC
  LIMIT 1
)
FROM (
  SELECT 1
  FROM leasehold_ready
  WHERE queue = :queue
  AND is_suspect = :is_suspect
  AND priority > :priority
  UNION ALL
  SELECT 1
  FROM leasehold_ready
  WHERE queue = :queue
  AND is_suspect = :is_suspect
  AND priority = :priority
  AND (created_at < :created_at OR created_at = :created_at AND job_id < :id)
  LIMIT :most
)
