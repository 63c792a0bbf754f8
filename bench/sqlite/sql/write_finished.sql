-- Records that each job without an outcome has succeeded.
INSERT INTO leasehold_outcome
  (job_id, attempt, state, failures, lapses, fence, worker, started_at, finished_at, tenant)
SELECT id, 1, 'succeeded', 0, 0, 0, 1, created_at, created_at, tenant
FROM leasehold_job
ORDER BY id
