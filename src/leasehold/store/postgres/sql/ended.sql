-- Says what these jobs came to: those that have ended, and those that are not there (no kind). A live
-- job gives no row. One look for all who wait: primary keys only, and for one that waits a single read.
SELECT asked.id, job.kind, last.state::text, last.result::text, last.error, job.tenant
FROM unnest(%(ids)s::uuid[]) AS asked (id)
LEFT JOIN LATERAL (
  SELECT state, result, error
  FROM leasehold.outcome
  WHERE outcome.job_id = asked.id
  ORDER BY attempt DESC
  LIMIT 1
) AS last ON true
LEFT JOIN LATERAL (
  SELECT kind, tenant FROM leasehold.job WHERE job.id = asked.id OFFSET 0
) AS job ON last.state IS NULL OR last.state IN ('succeeded', 'dead', 'cancelled')
WHERE CASE
  WHEN last.state IS NULL THEN job.kind IS NULL
  WHEN last.state = 'succeeded' THEN true -- nothing brings it back
  WHEN last.state IN ('dead', 'cancelled') -- unless somebody has had it retried
    THEN NOT EXISTS (SELECT FROM leasehold.ready WHERE ready.job_id = asked.id OFFSET 0)
      AND NOT EXISTS (SELECT FROM leasehold.lease WHERE lease.job_id = asked.id OFFSET 0)
      AND NOT EXISTS (SELECT FROM leasehold.waiting WHERE waiting.job_id = asked.id OFFSET 0)
      AND NOT EXISTS (SELECT FROM leasehold.scheduled WHERE scheduled.job_id = asked.id OFFSET 0)
      AND NOT EXISTS (SELECT FROM leasehold.parked WHERE parked.job_id = asked.id OFFSET 0)
  ELSE false
END
