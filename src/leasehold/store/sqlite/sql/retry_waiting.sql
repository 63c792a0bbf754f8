-- Puts a job with a lane there afresh; its attempts are counted on, its failures and lapses are
-- forgiven. Primary key of leasehold_job.
INSERT INTO leasehold_waiting
  (job_id, queue, priority, share, lane, created_at, attempt, cost, kind, tenant, batch)
SELECT
  id, queue, :priority, coalesce(share, ''), lane, created_at, :attempt, cost, kind, tenant, batch
FROM leasehold_job
WHERE id = :id
AND lane IS NOT NULL
