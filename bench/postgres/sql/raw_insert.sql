-- What one enqueue writes, and nothing else: the job row and its ready row.
WITH job AS (
  INSERT INTO leasehold.job (id, tenant, queue, kind, args, priority, max_attempts,
    timeout_seconds, lane, batch, created_by, created_at, run_at)
  VALUES (%(id)s, '', %(queue)s, %(kind)s, %(args)s, 0, 5, 3600, NULL, NULL, NULL,
    clock_timestamp(), NULL)
  RETURNING id, queue, priority, created_at, kind, tenant, batch
)
INSERT INTO leasehold.ready (job_id, queue, priority, created_at, kind, tenant, batch)
SELECT id, queue, priority, created_at, kind, tenant, batch
FROM job
