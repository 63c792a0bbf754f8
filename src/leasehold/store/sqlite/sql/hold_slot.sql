-- Lets a lease have the slot that it shares with one behind it. Primary key.
-- Fenced: who lost its lease has no slot.
UPDATE leasehold_lease
SET shares_slot = 0
WHERE job_id = :id
AND fence = :fence
AND worker = :worker
