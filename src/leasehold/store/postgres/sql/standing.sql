-- Says which leases still stand, locked or not, and whether they are to be cancelled: primary key.
SELECT lease.job_id, lease.cancel_requested
FROM jsonb_to_recordset(%(leases)s::jsonb) AS asked (job_id uuid, fence bigint)
CROSS JOIN LATERAL (
  SELECT job_id, cancel_requested
  FROM leasehold.lease
  WHERE lease.job_id = asked.job_id
    AND lease.fence = asked.fence
    AND (%(worker)s::bigint IS NULL OR lease.worker = %(worker)s)
  OFFSET 0
) AS lease
