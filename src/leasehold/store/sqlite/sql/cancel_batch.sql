-- Lets nobody add to a batch. Primary key. One that has ended stays as it is.
UPDATE leasehold_batch
SET cancelled_at = coalesce(cancelled_at, :now),
    cancelled_by = iif(cancelled_at IS NULL, :by, cancelled_by),
    sealed_at = coalesce(sealed_at, :now)
WHERE id = :id
AND ended_at IS NULL
