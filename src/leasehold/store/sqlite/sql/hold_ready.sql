-- Lets jobs of tenants with a running quota wait where that is counted. leasehold_ready_tenant.
INSERT INTO leasehold_waiting
  (job_id, queue, stage, priority, created_at, attempt, failures, lapses, kind, tenant, batch, lane,
   share)
SELECT
  job_id, queue, '@' || tenant, priority, created_at, attempt, failures, lapses, kind, tenant, batch,
  '', ''
FROM leasehold_ready
WHERE tenant IN (SELECT value FROM json_each(:tenants))
AND tenant <> ''
LIMIT :limit
RETURNING job_id
