-- Says which attempts this very lease settled before, when an answer had been lost: primary key. A
-- lapse is no settlement: that lease was taken back.
SELECT DISTINCT outcome.job_id
FROM jsonb_to_recordset(%(settlements)s::text::jsonb) AS asked (job_id uuid, fence bigint)
JOIN leasehold.outcome
  ON outcome.job_id = asked.job_id
  AND outcome.fence = asked.fence
  AND outcome.worker = %(worker)s
  AND outcome.state <> 'lapsed'
