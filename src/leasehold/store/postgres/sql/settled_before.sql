-- Says how attempts stand that a finish did not settle: by this very lease before, when an answer had
-- been lost (primary key). A lapse is no settlement: that lease was taken back.
SELECT DISTINCT asked.job_id
FROM jsonb_to_recordset(%(settlements)s::jsonb) AS asked (job_id uuid, fence bigint)
CROSS JOIN LATERAL (
  SELECT
  FROM leasehold.outcome
  WHERE outcome.job_id = asked.job_id
    AND outcome.fence = asked.fence
    AND outcome.worker = %(worker)s
    AND outcome.state <> 'lapsed'
  OFFSET 0
) AS settled
