-- Lists jobs that wait for their next try, newest first: primary key of scheduled, backwards.
SELECT record.*
FROM (
  SELECT scheduled.job_id
  FROM leasehold.scheduled
  WHERE scheduled.job_id < %(before)s
    AND scheduled.job_id >= %(above)s
    AND scheduled.failures > 0
    AND (%(queue)s::text IS NULL OR scheduled.queue = %(queue)s)
    AND (%(kind)s::text IS NULL OR scheduled.kind = %(kind)s)
    AND (%(tenant)s::text IS NULL OR scheduled.tenant = %(tenant)s)
  ORDER BY 1 DESC
  LIMIT %(limit)s
) AS page
CROSS JOIN LATERAL ( -- a lookup: joined with its eight tables the page would come last
  SELECT * FROM leasehold.record WHERE record.id = page.job_id OFFSET 0
) AS record
ORDER BY record.id DESC
