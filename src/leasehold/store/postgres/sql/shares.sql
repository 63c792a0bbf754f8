-- Lists shares whose weight somebody set, or that have jobs waiting. Reads shares and all that waits.
SELECT name, max(weight), sum(jobs)::bigint, max(set_by)
FROM (
  SELECT name, weight, 0 AS jobs, set_by
  FROM leasehold.share
  UNION ALL
  SELECT share, 1, count(*), NULL
  FROM leasehold.waiting
  WHERE share <> ''
  GROUP BY share
) AS part
GROUP BY name
ORDER BY name
