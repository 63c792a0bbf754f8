-- Writes a lease for each waiting job that was picked and whose kind has leases of this length, with
-- what it reserves of its key's rate. Of a line the last has the slot. Primary key of leasehold_waiting.
INSERT INTO leasehold_lease
  (job_id, fence, worker, claimed_at, until, lease_seconds,
   attempt, failures, lapses, priority, tenant, lane, batch, cost, gate, shares_slot)
SELECT
  waiting.job_id, :fence, :worker, :now, :until, :lease_seconds,
  waiting.attempt + 1, waiting.failures, waiting.lapses, waiting.priority, waiting.tenant,
  iif(
    waiting.stage LIKE '@%', -- such a job may have none
    (SELECT lane FROM leasehold_job WHERE id = waiting.job_id),
    waiting.lane
  ),
  waiting.batch,
  iif(waiting.lane IN (SELECT value FROM json_each(:rated)), coalesce(waiting.cost, 1), NULL),
  iif(waiting.queue IN (SELECT value FROM json_each(:gates)), waiting.queue, NULL),
  waiting.job_id NOT IN (SELECT value FROM json_each(:last))
FROM json_each(:ids) AS picked
CROSS JOIN leasehold_waiting AS waiting ON waiting.job_id = picked.value
WHERE waiting.kind IN (SELECT value FROM json_each(:kinds))
