-- Writes a lease for each ready job that was picked and whose kind has leases of this length. Index on
-- job_id.
INSERT INTO leasehold_lease
  (job_id, fence, worker, claimed_at, until, lease_seconds,
   attempt, failures, lapses, priority, tenant, batch, gate)
SELECT
  ready.job_id, :fence, :worker, :now, :until, :lease_seconds,
  ready.attempt + 1, ready.failures, ready.lapses, ready.priority, ready.tenant, ready.batch,
  iif(ready.queue IN (SELECT value FROM json_each(:gates)), ready.queue, NULL)
FROM json_each(:ids) AS picked
CROSS JOIN leasehold_ready AS ready ON ready.job_id = picked.value
WHERE ready.kind IN (SELECT value FROM json_each(:kinds))
