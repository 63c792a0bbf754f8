-- Lists jobs that wait, for no throttle, newest first: ready_job, scheduled_pkey, parked_pkey and
-- waiting_job, backwards.
SELECT record.*
FROM (
  SELECT queued.job_id
  FROM (
    (
      SELECT ready.job_id
      FROM leasehold.ready
      WHERE ready.job_id < %(before)s
        AND ready.job_id >= %(above)s
        AND (%(queue)s::text IS NULL OR ready.queue = %(queue)s)
        AND (%(kind)s::text IS NULL OR ready.kind = %(kind)s)
        AND (%(tenant)s::text IS NULL OR ready.tenant = %(tenant)s)
      ORDER BY ready.job_id DESC
      LIMIT %(limit)s
    )
    UNION ALL
    (
      SELECT scheduled.job_id
      FROM leasehold.scheduled
      WHERE scheduled.job_id < %(before)s
        AND scheduled.job_id >= %(above)s
        AND scheduled.failures = 0
        AND (%(queue)s::text IS NULL OR scheduled.queue = %(queue)s)
        AND (%(kind)s::text IS NULL OR scheduled.kind = %(kind)s)
        AND (%(tenant)s::text IS NULL OR scheduled.tenant = %(tenant)s)
      ORDER BY scheduled.job_id DESC
      LIMIT %(limit)s
    )
    UNION ALL
    (
      SELECT parked.job_id
      FROM leasehold.parked
      WHERE parked.job_id < %(before)s
        AND parked.job_id >= %(above)s
        AND (%(queue)s::text IS NULL OR parked.queue = %(queue)s)
        AND (%(kind)s::text IS NULL OR parked.kind = %(kind)s)
        AND (%(tenant)s::text IS NULL OR parked.tenant = %(tenant)s)
      ORDER BY parked.job_id DESC
      LIMIT %(limit)s
    )
    UNION ALL
    (
      SELECT waiting.job_id
      FROM leasehold.waiting
      WHERE waiting.job_id < %(before)s
        AND waiting.job_id >= %(above)s
        AND waiting.lane = ''
        AND waiting.stage <> '#'
        AND (%(queue)s::text IS NULL OR waiting.queue = %(queue)s)
        AND (%(kind)s::text IS NULL OR waiting.kind = %(kind)s)
        AND (%(tenant)s::text IS NULL OR waiting.tenant = %(tenant)s)
      ORDER BY waiting.job_id DESC
      LIMIT %(limit)s
    )
  ) AS queued
  ORDER BY 1 DESC
  LIMIT %(limit)s
) AS page
CROSS JOIN LATERAL ( -- a lookup: joined with its eight tables the page would come last
  SELECT * FROM leasehold.record WHERE record.id = page.job_id OFFSET 0
) AS record
ORDER BY record.id DESC
