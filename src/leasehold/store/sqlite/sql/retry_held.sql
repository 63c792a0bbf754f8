-- Lets a job wait for others again, its attempts counted on. Primary key of leasehold_job.
INSERT INTO leasehold_waiting
  (job_id, queue, stage, priority, created_at, attempt, kind, tenant, batch)
SELECT id, queue, '#', :priority, created_at, :attempt, kind, tenant, batch
FROM leasehold_job
WHERE id = :id
