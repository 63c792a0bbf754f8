-- Counts what waits for a worker that knows it, in lanes or not. Scans parked and waiting.
SELECT kind, sum(number)
FROM (
  SELECT kind, count(*) AS number
  FROM leasehold_parked
  GROUP BY kind
  UNION ALL
  SELECT kind, count(*)
  FROM leasehold_waiting
  WHERE stage LIKE '=%'
  GROUP BY kind
)
GROUP BY kind
ORDER BY kind
