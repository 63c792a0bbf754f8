-- Lets a lease have the slot that it shares with one behind it: primary key.
UPDATE leasehold.lease
SET shares_slot = false
WHERE job_id = %(job_id)s
  AND fence = %(fence)s -- the fence: who lost its lease has no slot
  AND worker = %(worker)s
RETURNING job_id
