-- Lets nobody add to a batch but its running members. Primary key.
UPDATE leasehold_batch
SET sealed_at = coalesce(sealed_at, :now)
WHERE id = :id
