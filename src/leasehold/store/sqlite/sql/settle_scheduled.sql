-- Lets jobs wait for their next try. Primary key of leasehold_lease.
INSERT INTO leasehold_scheduled
  (job_id, run_at, queue, priority, created_at, attempt, failures, lapses, kind, tenant, lane, batch)
SELECT
  lease.job_id, ending.value ->> 12, job.queue, lease.priority, job.created_at, lease.attempt,
  ending.value ->> 4, ending.value ->> 5, job.kind, lease.tenant, lease.lane, job.batch
FROM json_each(:endings) AS ending
CROSS JOIN leasehold_lease AS lease
  ON lease.job_id = ending.value ->> 0
  AND lease.fence = ending.value ->> 1
CROSS JOIN leasehold_job AS job ON job.id = lease.job_id
