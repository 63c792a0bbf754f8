-- Lists a batch's members, newest first, of one state or of all. leasehold_job_batch: no sort.
SELECT job.id
FROM leasehold_job AS job
WHERE job.batch = :batch
AND job.id < :before
AND job.id >= :above
AND (:queue IS NULL OR job.queue = :queue)
AND (:kind IS NULL OR job.kind = :kind)
AND (:tenant IS NULL OR job.tenant = :tenant)
AND (:state IS NULL OR :state = CASE
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
END)
ORDER BY job.id DESC
LIMIT :limit
