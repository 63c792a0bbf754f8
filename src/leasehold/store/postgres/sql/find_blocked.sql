-- Lists jobs that wait for their throttle, or for other jobs, newest first:
-- waiting_job, backwards.
SELECT record.*
FROM (
  SELECT waiting.job_id
  FROM leasehold.waiting
  WHERE waiting.job_id < %(before)s
    AND waiting.job_id >= %(above)s
    AND (waiting.lane <> '' OR waiting.stage = '#')
    AND (%(queue)s::text IS NULL OR waiting.queue = %(queue)s)
    AND (%(kind)s::text IS NULL OR waiting.kind = %(kind)s)
    AND (%(tenant)s::text IS NULL OR waiting.tenant = %(tenant)s)
  ORDER BY 1 DESC
  LIMIT %(limit)s
) AS page
CROSS JOIN LATERAL ( -- a lookup: joined with its eight tables the page would come last
  SELECT * FROM leasehold.record WHERE record.id = page.job_id OFFSET 0
) AS record
ORDER BY record.id DESC
