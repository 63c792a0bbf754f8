-- Names the first members of a batch that have ended. Index on (batch, id).
SELECT json_group_array(id)
FROM (
  SELECT id
  FROM leasehold_job AS job
  WHERE batch = :batch
  AND NOT EXISTS (SELECT 1 FROM leasehold_ready WHERE job_id = job.id)
  AND NOT EXISTS (SELECT 1 FROM leasehold_scheduled WHERE job_id = job.id)
  AND NOT EXISTS (SELECT 1 FROM leasehold_parked WHERE job_id = job.id)
  AND NOT EXISTS (SELECT 1 FROM leasehold_waiting WHERE job_id = job.id)
  AND NOT EXISTS (SELECT 1 FROM leasehold_lease WHERE job_id = job.id)
  ORDER BY id
  LIMIT :limit
)
