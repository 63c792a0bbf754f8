-- Lists running jobs, newest first: primary key of lease, backwards.
SELECT record.*
FROM (
  SELECT lease.job_id
  FROM leasehold.lease
  JOIN leasehold.job ON job.id = lease.job_id
  WHERE lease.job_id < %(before)s
    AND lease.job_id >= %(above)s
    AND (%(queue)s::text IS NULL OR job.queue = %(queue)s)
    AND (%(kind)s::text IS NULL OR job.kind = %(kind)s)
    AND (%(tenant)s::text IS NULL OR lease.tenant = %(tenant)s)
  ORDER BY 1 DESC
  LIMIT %(limit)s
) AS page
CROSS JOIN LATERAL ( -- a lookup: joined with its eight tables the page would come last
  SELECT * FROM leasehold.record WHERE record.id = page.job_id OFFSET 0
) AS record
ORDER BY record.id DESC
