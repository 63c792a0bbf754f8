-- Appends the end of lapsed leases that stand unchanged. Primary keys.
-- Fenced: a lease renewed since it was seen has another `until` and is not found.
-- The first lapse is not counted, it makes a suspect; a suspect's lapse is.
INSERT INTO leasehold_outcome
  (job_id, attempt, state, failures, lapses, fence, worker, started_at, finished_at, tenant, error)
SELECT
  lease.job_id, lease.attempt,
  CASE
    WHEN lease.cancel_requested THEN 'cancelled'
    WHEN task.dies_on_lapse THEN 'dead'
    WHEN lease.lapses > 0 AND lease.failures + 1 >= job.max_attempts THEN 'dead'
    ELSE 'lapsed'
  END,
  lease.failures + (lease.lapses > 0 AND NOT lease.cancel_requested),
  lease.lapses + 1, lease.fence, lease.worker, lease.claimed_at, :now, lease.tenant,
  CASE
    WHEN lease.cancel_requested THEN 'cancelled' || coalesce(' by ' || nullif(lease.cancelled_by, ''), '')
    ELSE 'lapsed: its worker stopped renewing the lease'
  END
FROM json_each(:leases) AS seen
CROSS JOIN leasehold_lease AS lease
  ON lease.job_id = seen.key
  AND lease.fence = seen.value ->> 0
  AND lease.until = seen.value ->> 1
CROSS JOIN leasehold_job AS job ON job.id = lease.job_id
LEFT JOIN leasehold_task AS task ON task.kind = job.kind
WHERE lease.until < :now
RETURNING job_id, state, failures
