-- Counts live jobs by queue and by where they stand, of one tenant or of all. Scans the live tables.
SELECT
  queue, sum(ready), sum(blocked), sum(scheduled), sum(failed), sum(running), sum(parked)
FROM (
  SELECT
    queue, count(*) AS ready, 0 AS blocked, 0 AS scheduled, 0 AS failed, 0 AS running, 0 AS parked
  FROM leasehold_ready
  WHERE (:tenant IS NULL OR tenant = :tenant)
  GROUP BY queue
  UNION ALL
  SELECT
    queue, count(*) FILTER (WHERE lane = '' AND stage <> '#' AND stage NOT LIKE '=%'),
    count(*) FILTER (WHERE (lane <> '' OR stage = '#') AND stage NOT LIKE '=%'), 0, 0, 0,
    count(*) FILTER (WHERE stage LIKE '=%')
  FROM leasehold_waiting
  WHERE (:tenant IS NULL OR tenant = :tenant)
  GROUP BY queue
  UNION ALL
  SELECT
    queue, 0, 0, count(*) FILTER (WHERE failures = 0), count(*) FILTER (WHERE failures > 0), 0, 0
  FROM leasehold_scheduled
  WHERE (:tenant IS NULL OR tenant = :tenant)
  GROUP BY queue
  UNION ALL
  SELECT queue, 0, 0, 0, 0, count(*), 0
  FROM leasehold_lease AS lease
  CROSS JOIN leasehold_job AS job ON job.id = lease.job_id
  WHERE (:tenant IS NULL OR lease.tenant = :tenant)
  GROUP BY queue
  UNION ALL
  SELECT queue, 0, 0, 0, 0, 0, count(*)
  FROM leasehold_parked
  WHERE (:tenant IS NULL OR tenant = :tenant)
  GROUP BY queue
)
GROUP BY queue
ORDER BY queue
