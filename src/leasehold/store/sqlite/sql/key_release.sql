-- Forgets the key of a job that is deleted by hand, before the job. One that waits behind it keeps the
-- row: hand_over makes it the holder. Primary keys.
DELETE FROM leasehold_key
WHERE NOT EXISTS (SELECT 1 FROM leasehold_waiting WHERE job_id = leasehold_key.next)
AND leasehold_key.job_id = :id
AND (tenant, key) = (SELECT tenant, key FROM leasehold_job WHERE id = :id)
