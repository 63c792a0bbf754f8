-- Marks a running job: whatever ends its lease then, it ends cancelled. Primary key.
UPDATE leasehold_lease
SET cancel_requested = 1, cancelled_by = coalesce(cancelled_by, :by)
WHERE job_id = :id
