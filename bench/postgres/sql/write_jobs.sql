-- The job rows, in the order of their ids.
INSERT INTO leasehold.job
  (id, tenant, queue, kind, args, priority, max_attempts, timeout_seconds, created_at, run_at)
SELECT
  id, tenant, queue, kind,
  jsonb_build_object(
    'n', n, 'to', 'user' || lpad(n::text, 6, '0') || '@example.com', 'subject', 'hello'),
  priority, 5, 3600, created_at, %(run_at)s::timestamptz
FROM written
ORDER BY n
