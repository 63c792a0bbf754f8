-- Lists jobs that ended dead or cancelled, newest first: index outcome_unhappy, backwards.
SELECT record.*
FROM (
  SELECT outcome.job_id
  FROM leasehold.outcome
  JOIN leasehold.job ON job.id = outcome.job_id
  WHERE outcome.job_id < %(before)s
    AND outcome.job_id >= %(above)s
    AND outcome.state <> 'succeeded'
    -- a scalar: by a constant outcome_failure would serve too, out of order
    AND outcome.state = (SELECT %(state)s::leasehold.outcome_state)
    -- an operator may have retried it since
    AND NOT EXISTS (
      SELECT
      FROM leasehold.outcome AS newer
      WHERE newer.job_id = outcome.job_id
        AND newer.attempt > outcome.attempt
    )
    AND NOT EXISTS (SELECT FROM leasehold.ready WHERE ready.job_id = job.id)
    AND NOT EXISTS (SELECT FROM leasehold.scheduled WHERE scheduled.job_id = job.id)
    AND NOT EXISTS (SELECT FROM leasehold.parked WHERE parked.job_id = job.id)
    AND NOT EXISTS (SELECT FROM leasehold.waiting WHERE waiting.job_id = job.id)
    AND NOT EXISTS (SELECT FROM leasehold.lease WHERE lease.job_id = job.id)
    AND (%(queue)s::text IS NULL OR job.queue = %(queue)s)
    AND (%(kind)s::text IS NULL OR job.kind = %(kind)s)
    AND (%(tenant)s::text IS NULL OR job.tenant = %(tenant)s)
  ORDER BY 1 DESC
  LIMIT %(limit)s
) AS page
CROSS JOIN LATERAL ( -- a lookup: joined with its eight tables the page would come last
  SELECT * FROM leasehold.record WHERE record.id = page.job_id OFFSET 0
) AS record
ORDER BY record.id DESC
