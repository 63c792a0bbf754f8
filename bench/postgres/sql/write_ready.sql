-- Makes them ready.
INSERT INTO leasehold.ready (job_id, queue, priority, created_at, kind, tenant)
SELECT id, queue, priority, created_at, kind, tenant
FROM written
ORDER BY n
