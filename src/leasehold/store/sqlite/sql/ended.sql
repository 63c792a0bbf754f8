-- Says what these jobs came to: those that have ended, and those that are not there (no kind). A live
-- job gives no row. One look for all who wait: primary keys and indexes on job_id only.
SELECT asked.value, job.kind, last.state, last.result, last.error, job.tenant
FROM json_each(:ids) AS asked
LEFT JOIN leasehold_outcome AS last ON last.job_id = asked.value AND last.attempt = (
  SELECT max(attempt) FROM leasehold_outcome WHERE job_id = asked.value
)
LEFT JOIN leasehold_job AS job ON job.id = asked.value
WHERE CASE
  WHEN last.state IS NULL THEN job.kind IS NULL
  WHEN last.state = 'succeeded' THEN 1 -- nothing brings it back
  WHEN last.state IN ('dead', 'cancelled') -- unless somebody has had it retried
    THEN NOT EXISTS (SELECT 1 FROM leasehold_ready WHERE job_id = asked.value)
      AND NOT EXISTS (SELECT 1 FROM leasehold_lease WHERE job_id = asked.value)
      AND NOT EXISTS (SELECT 1 FROM leasehold_waiting WHERE job_id = asked.value)
      AND NOT EXISTS (SELECT 1 FROM leasehold_scheduled WHERE job_id = asked.value)
      AND NOT EXISTS (SELECT 1 FROM leasehold_parked WHERE job_id = asked.value)
  ELSE 0
END
