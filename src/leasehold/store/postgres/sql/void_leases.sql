-- Says of attempts whose leases were taken back for a move that nobody here settled them: primary key.
UPDATE leasehold.outcome
SET worker = NULL,
  error = coalesce(error, 'taken back: the queue moved to another database')
FROM unnest(%(job_ids)s::uuid[], %(fences)s::bigint[]) AS void (job_id, fence)
WHERE outcome.job_id = void.job_id
  AND outcome.fence = void.fence
