-- Appends what attempts came to, by their settlements. Primary keys.
-- Fenced: a lease of another claim or worker is not found, and so can't be settled.
INSERT INTO leasehold_outcome
  (job_id, attempt, state, failures, lapses, fence, worker, started_at, finished_at, tenant,
   result, error, traceback)
SELECT
  lease.job_id, lease.attempt,
  CASE
    WHEN lease.cancel_requested THEN 'cancelled'
    ELSE coalesce(said.value ->> 'outcome', 'succeeded')
  END,
  lease.failures + (NOT lease.cancel_requested AND said.value ->> 'is_counted' IS NOT NULL),
  CASE
    WHEN lease.lapses > 0 AND NOT lease.cancel_requested
      AND said.value ->> 'outcome' IN ('failed', 'snoozed') THEN 0
    ELSE lease.lapses
  END,
  lease.fence, lease.worker,
  :now - CAST(said.value ->> 'elapsed_seconds' * 1000000 AS INTEGER), :now, lease.tenant,
  CASE WHEN NOT lease.cancel_requested THEN nullif(said.value -> 'result', 'null') END,
  CASE
    WHEN lease.cancel_requested THEN 'cancelled' || coalesce(' by ' || nullif(lease.cancelled_by, ''), '')
    ELSE said.value ->> 'error'
  END,
  said.value ->> 'traceback'
FROM json_each(:settlements) AS said
CROSS JOIN leasehold_lease AS lease
  ON lease.job_id = said.key
  AND lease.fence = said.value ->> 'fence'
WHERE lease.worker = :worker
