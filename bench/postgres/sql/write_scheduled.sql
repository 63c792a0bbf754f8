-- Schedules them for later.
INSERT INTO leasehold.scheduled (job_id, run_at, queue, priority, created_at, kind, tenant)
SELECT id, %(run_at)s::timestamptz, queue, priority, created_at, kind, tenant
FROM written
ORDER BY n
