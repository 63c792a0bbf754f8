-- Is any member of a batch to be kept for longer, counted from the batch's end, or may a job that
-- has not succeeded still want its result? Index on (batch, id).
SELECT 1
FROM leasehold_job AS member
CROSS JOIN leasehold_keeping AS job ON job.id = member.id
WHERE member.batch = :batch
AND ((:now - :ended_at) / 1e6 < :late_seconds + coalesce((
  SELECT CASE last.state
    WHEN 'succeeded' THEN job.succeeded_seconds
    WHEN 'dead' THEN job.dead_seconds
    WHEN 'cancelled' THEN job.cancelled_seconds
  END
  FROM leasehold_outcome AS last
  WHERE last.job_id = job.id
  ORDER BY last.attempt DESC
  LIMIT 1
), 1e99) OR EXISTS (
  SELECT 1
  FROM leasehold_dependency AS wanting
  WHERE wanting.needs = member.id
  AND EXISTS (SELECT 1 FROM leasehold_job WHERE id = wanting.job_id)
  AND NOT EXISTS (
    SELECT 1 FROM leasehold_outcome WHERE job_id = wanting.job_id AND state = 'succeeded'
  )
))
LIMIT 1
