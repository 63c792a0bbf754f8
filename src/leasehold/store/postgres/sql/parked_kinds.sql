-- Counts the jobs that wait because no worker knew their kind: index parked_order, and all of waiting.
SELECT kind, count(*)
FROM (
  SELECT kind FROM leasehold.parked
  UNION ALL
  SELECT kind FROM leasehold.waiting WHERE stage LIKE '=%%'
) AS unknown
GROUP BY kind
ORDER BY kind
