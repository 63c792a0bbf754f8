-- Records that each of them has succeeded.
INSERT INTO leasehold.outcome
  (job_id, attempt, state, failures, lapses, fence, worker, started_at, finished_at, tenant)
SELECT id, 1, 'succeeded', 0, 0, 0, 1, created_at, created_at, tenant
FROM written
ORDER BY n
