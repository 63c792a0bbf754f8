-- Writes one job that is due at once, in no lane or batch, and leaves nothing to its task. An id that
-- stands there already is a unique violation: enqueue_many knows what it means.
WITH job AS (
  INSERT INTO leasehold.job (id, args, tenant, queue, kind, priority, max_attempts, timeout_seconds,
    created_by, trace, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, left($10, 600), now() + make_interval(secs => $11))
  RETURNING id, queue, priority, created_at, kind, tenant
)
INSERT INTO leasehold.ready (job_id, queue, priority, created_at, kind, tenant)
SELECT id, queue, priority, created_at, kind, tenant
FROM job
WHERE CASE WHEN tenant = '' THEN true ELSE leasehold.admit(tenant, 1, created_at) END -- or raises LH007
