-- Looks at the next jobs: how many, the last one, and which of them have ended and are past their time.
-- What belongs to a batch goes with it. Primary keys.
WITH page AS MATERIALIZED (
  SELECT id
  FROM leasehold_job
  WHERE id > :after
  AND id < :before
  ORDER BY id
  LIMIT :limit
),
due AS (
  SELECT job.id
  FROM page
  CROSS JOIN leasehold_keeping AS job ON job.id = page.id
  CROSS JOIN leasehold_outcome AS last
    ON last.job_id = job.id
    AND last.attempt = (SELECT max(attempt) FROM leasehold_outcome WHERE job_id = job.id)
  WHERE (:now - last.finished_at) / 1e6 >= :late_seconds + CASE last.state
    WHEN 'succeeded' THEN job.succeeded_seconds
    WHEN 'dead' THEN job.dead_seconds
    WHEN 'cancelled' THEN job.cancelled_seconds
  END
  AND (job.batch IS NULL OR NOT EXISTS (SELECT 1 FROM leasehold_batch WHERE id = job.batch))
  AND (job.key IS NULL OR NOT EXISTS ( -- its success is what a cooldown counts from
    SELECT 1
    FROM leasehold_key AS held
    WHERE held.tenant = job.tenant
    AND held.key = job.key
    AND held.job_id = job.id
    AND held.memory_seconds < 1e90
    AND held.memory_seconds > (:now - last.finished_at) / 1e6
  ))
  AND NOT EXISTS ( -- one that is there and has not succeeded may want its result, retried or not
    SELECT 1
    FROM leasehold_dependency AS wanting
    WHERE wanting.needs = job.id
    AND EXISTS (SELECT 1 FROM leasehold_job WHERE id = wanting.job_id)
    AND NOT EXISTS (
      SELECT 1 FROM leasehold_outcome WHERE job_id = wanting.job_id AND state = 'succeeded'
    )
  )
  AND NOT EXISTS (SELECT 1 FROM leasehold_ready WHERE job_id = job.id)
  AND NOT EXISTS (SELECT 1 FROM leasehold_scheduled WHERE job_id = job.id)
  AND NOT EXISTS (SELECT 1 FROM leasehold_parked WHERE job_id = job.id)
  AND NOT EXISTS (SELECT 1 FROM leasehold_waiting WHERE job_id = job.id)
  AND NOT EXISTS (SELECT 1 FROM leasehold_lease WHERE job_id = job.id)
)
SELECT
  (SELECT count(*) FROM page), (SELECT max(id) FROM page), (SELECT json_group_array(id) FROM due)
