-- Counts live jobs by queue and place, of one tenant or of all; reads the live tables only, never what has ended.
SELECT queue,
  sum(ready)::bigint,
  sum(blocked)::bigint,
  sum(scheduled)::bigint,
  sum(failed)::bigint,
  sum(running)::bigint,
  sum(parked)::bigint
FROM (
  SELECT queue, count(*) AS ready, 0 AS blocked, 0 AS scheduled, 0 AS failed, 0 AS running, 0 AS parked
  FROM leasehold.ready
  WHERE (%(tenant)s::text IS NULL OR tenant = %(tenant)s)
  GROUP BY queue
  UNION ALL
  SELECT queue, 0, 0, count(*) FILTER (WHERE failures = 0), count(*) FILTER (WHERE failures > 0),
    0, 0
  FROM leasehold.scheduled
  WHERE (%(tenant)s::text IS NULL OR tenant = %(tenant)s)
  GROUP BY queue
  UNION ALL
  SELECT queue, 0, 0, 0, 0, count(*), 0
  FROM leasehold.lease
  CROSS JOIN LATERAL (
    SELECT queue FROM leasehold.job WHERE job.id = lease.job_id OFFSET 0
  ) AS job
  WHERE (%(tenant)s::text IS NULL OR lease.tenant = %(tenant)s)
  GROUP BY queue
  UNION ALL
  SELECT queue, 0, 0, 0, 0, 0, count(*)
  FROM leasehold.parked
  WHERE (%(tenant)s::text IS NULL OR tenant = %(tenant)s)
  GROUP BY queue
  UNION ALL
  SELECT queue, count(*) FILTER (WHERE NOT is_blocked AND NOT is_set_aside),
    count(*) FILTER (WHERE is_blocked AND NOT is_set_aside), 0, 0, 0,
    count(*) FILTER (WHERE is_set_aside)
  FROM (
    SELECT queue, lane <> '' OR stage = '#' AS is_blocked, stage LIKE '=%%' AS is_set_aside
    FROM leasehold.waiting
    WHERE (%(tenant)s::text IS NULL OR tenant = %(tenant)s)
  ) AS waiting
  GROUP BY queue
) AS place
GROUP BY queue
ORDER BY queue
