-- Makes the one that waited the holder. Primary keys.
UPDATE leasehold_key
SET job_id = :next, next = NULL, is_urgent = 0,
    taken_at = (SELECT created_at FROM leasehold_job WHERE id = :next),
    succeeded_at = coalesce(
      (SELECT finished_at FROM leasehold_outcome WHERE job_id = :job_id AND state = 'succeeded'),
      succeeded_at)
WHERE tenant = :tenant
AND key = :key
