-- Extends leases that still stand, never beyond their deadline. A row held by an open transaction of
-- its own job is skipped, so that it can't stop the others: primary key.
WITH held AS (
  SELECT lease.job_id
  FROM jsonb_to_recordset(%(leases)s::text::jsonb) AS asked (job_id uuid, fence bigint)
  JOIN leasehold.lease
    ON lease.job_id = asked.job_id
    AND lease.fence = asked.fence -- the fence: only this very lease
    AND lease.worker = %(worker)s
  FOR NO KEY UPDATE OF lease SKIP LOCKED
)
UPDATE leasehold.lease
SET until = least(%(skew)s + now() + make_interval(secs => lease.lease_seconds), lease.deadline)
FROM held
WHERE lease.job_id = held.job_id
RETURNING lease.job_id, lease.cancel_requested
