-- Reads one job's state: the table it stands in. Primary keys.
SELECT CASE
  WHEN EXISTS (SELECT 1 FROM leasehold_lease WHERE job_id = job.id) THEN 'running'
  WHEN EXISTS (SELECT 1 FROM leasehold_ready WHERE job_id = job.id) THEN 'queued'
  WHEN EXISTS (SELECT 1 FROM leasehold_parked WHERE job_id = job.id) THEN 'queued'
  ELSE coalesce(
    (
      SELECT iif(lane <> '' OR stage = '#', 'blocked', 'queued')
      FROM leasehold_waiting
      WHERE job_id = job.id
    ),
    (SELECT iif(failures > 0, 'failed', 'queued') FROM leasehold_scheduled WHERE job_id = job.id),
    (SELECT state FROM leasehold_outcome WHERE job_id = job.id ORDER BY attempt DESC LIMIT 1)
  )
END
FROM leasehold_job AS job
WHERE job.id = :id
