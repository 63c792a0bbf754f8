-- Lists jobs in any state, newest first: primary key of job, backwards.
SELECT record.*
FROM (
  SELECT job.id AS job_id
  FROM leasehold.job
  WHERE job.id < %(before)s
    AND job.id >= %(above)s
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
