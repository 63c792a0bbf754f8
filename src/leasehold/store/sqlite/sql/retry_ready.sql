-- Makes a job without a lane ready afresh; its attempts are counted on, its failures and lapses are forgiven.
-- Primary key of leasehold_job.
INSERT INTO leasehold_ready
  (queue, priority, created_at, job_id, attempt, kind, tenant, batch)
SELECT queue, :priority, created_at, id, :attempt, kind, tenant, batch
FROM leasehold_job
WHERE id = :id
AND lane IS NULL
