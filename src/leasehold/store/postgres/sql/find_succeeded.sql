-- Lists succeeded jobs, newest first: primary key of outcome, backwards.
SELECT record.*
FROM (
  SELECT outcome.job_id
  FROM leasehold.outcome
  JOIN leasehold.job ON job.id = outcome.job_id
  WHERE outcome.job_id < %(before)s
    AND outcome.job_id >= %(above)s
    AND outcome.state = 'succeeded'
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
