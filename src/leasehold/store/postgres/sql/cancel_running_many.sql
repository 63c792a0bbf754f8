-- Marks running jobs' leases, those that nobody else is ending: primary key. Waits for nobody.
UPDATE leasehold.lease
SET cancel_requested = true,
  cancelled_by = coalesce(cancelled_by, %(by)s::text)
WHERE job_id = ANY (ARRAY (
  SELECT job_id
  FROM leasehold.lease
  WHERE job_id = ANY (%(job_ids)s::uuid[])
  FOR NO KEY UPDATE SKIP LOCKED
))
RETURNING job_id, 'running'
