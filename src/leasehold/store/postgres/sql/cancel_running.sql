-- Marks a running job's lease: its handler is told, and whatever it ends as is written as cancelled.
UPDATE leasehold.lease
SET cancel_requested = true,
  cancelled_by = coalesce(cancelled_by, %(by)s::text)
WHERE job_id = %(job_id)s
RETURNING job_id
