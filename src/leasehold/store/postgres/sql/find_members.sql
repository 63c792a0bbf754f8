-- Lists a batch's members, newest first, of one state or of all: job_batch, backwards. Reads no other job.
SELECT record.*
FROM (
  SELECT job.id AS job_id
  FROM leasehold.job
  CROSS JOIN LATERAL ( -- looked up only where a state is asked for
    SELECT CASE
      WHEN %(state)s::text IS NOT NULL
        THEN (SELECT record.state FROM leasehold.record WHERE record.id = job.id)
    END AS state
    OFFSET 0
  ) AS stands
  WHERE job.batch = %(batch)s
    AND job.id < %(before)s
    AND job.id >= %(above)s
    AND (%(state)s::text IS NULL OR stands.state = %(state)s::text)
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
