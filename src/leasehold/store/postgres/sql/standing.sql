-- Says which leases still stand, locked or not, and whether they are to be cancelled: primary key.
SELECT lease.job_id, lease.cancel_requested
FROM jsonb_to_recordset(%(leases)s::text::jsonb) AS asked (job_id uuid, fence bigint)
JOIN leasehold.lease
  ON lease.job_id = asked.job_id
  AND lease.fence = asked.fence
  AND (%(worker)s::bigint IS NULL OR lease.worker = %(worker)s)
