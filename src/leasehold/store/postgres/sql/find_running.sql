-- Lists running jobs, newest first: primary key of lease, backwards.
SELECT record.*
FROM (
  SELECT lease.job_id
  FROM leasehold.lease
  WHERE lease.job_id < %(before)s
    AND (%(queue)s::text IS NULL OR lease.queue = %(queue)s)
    AND (%(kind)s::text IS NULL OR lease.kind = %(kind)s)
    AND (%(tenant)s::text IS NULL OR lease.tenant = %(tenant)s)
    AND (%(batch)s::uuid IS NULL OR lease.batch = %(batch)s)
  ORDER BY 1 DESC
  LIMIT %(limit)s
) AS page
JOIN leasehold.record ON record.id = page.job_id
ORDER BY record.id DESC
