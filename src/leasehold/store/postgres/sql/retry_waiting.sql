-- Makes a job that failed and waits for its next try ready now: primary key.
WITH waiting AS (
  DELETE FROM leasehold.scheduled
  WHERE job_id = %(job_id)s
    AND failures > 0
  RETURNING job_id, queue, priority, created_at, attempt, kind, tenant, lane, batch
)
INSERT INTO leasehold.ready
  (job_id, queue, priority, created_at, attempt, kind, tenant, lane, batch)
SELECT job_id, queue, priority, created_at, attempt, kind, tenant, lane, batch
FROM waiting
RETURNING job_id
