-- Reads the lapsed leases that stand unchanged. Primary key.
-- Fenced: a lease renewed since it was seen has another `until` and is not found.
SELECT
  seen.key, lease.worker, lease.attempt, lease.failures, lease.lapses, lease.tenant,
  lease.cancel_requested, lease.cancelled_by, lease.claimed_at, job.max_attempts,
  coalesce(task.dies_on_lapse, 0)
FROM json_each(:leases) AS seen
CROSS JOIN leasehold_lease AS lease
  ON lease.job_id = seen.value ->> 0
  AND lease.fence = seen.value ->> 1
  AND lease.until = seen.value ->> 2
CROSS JOIN leasehold_job AS job ON job.id = lease.job_id
LEFT JOIN leasehold_task AS task ON task.kind = job.kind
WHERE lease.until < :now
