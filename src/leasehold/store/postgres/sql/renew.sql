-- Extends leases that still stand, never beyond their deadline: a lease after the handler's timeout.
-- A row held by an open transaction of its own job is skipped, so that it can't stop the others:
-- primary key.
WITH held AS MATERIALIZED (
  SELECT lease.job_id
  FROM jsonb_to_recordset(%(leases)s::jsonb) AS asked (job_id uuid, fence bigint)
  CROSS JOIN LATERAL (
    SELECT job_id
    FROM leasehold.lease
    WHERE lease.job_id = asked.job_id
      AND lease.fence = asked.fence -- the fence: only this very lease
      AND lease.worker = %(worker)s
    FOR NO KEY UPDATE SKIP LOCKED
  ) AS lease
)
UPDATE leasehold.lease
SET until = least(
  %(skew)s + now() + make_interval(secs => lease_seconds),
  claimed_at + make_interval(secs => lease_seconds
    + (SELECT timeout_seconds FROM leasehold.job WHERE job.id = lease.job_id))
)
WHERE job_id = ANY (ARRAY (SELECT job_id FROM held))
RETURNING job_id, cancel_requested
