-- Puts handed-back jobs back into their place in the queue. Primary key of leasehold_lease.
INSERT INTO leasehold_ready
  (queue, is_suspect, priority, created_at, job_id, attempt, failures, lapses, kind, tenant, lane,
   batch)
SELECT
  job.queue, ending.value ->> 5 > 0, lease.priority, job.created_at, lease.job_id, lease.attempt,
  ending.value ->> 4, ending.value ->> 5, job.kind, lease.tenant, lease.lane, job.batch
FROM json_each(:endings) AS ending
CROSS JOIN leasehold_lease AS lease
  ON lease.job_id = ending.value ->> 0
  AND lease.fence = ending.value ->> 1
CROSS JOIN leasehold_job AS job ON job.id = lease.job_id
