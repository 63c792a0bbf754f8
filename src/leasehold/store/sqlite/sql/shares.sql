-- Lists shares whose weight somebody set, or that have jobs waiting. Scans shares and waiting.
WITH behind AS MATERIALIZED (
  SELECT share AS name, count(*) AS number
  FROM leasehold_waiting
  WHERE share <> ''
  GROUP BY share
)
SELECT named.name, coalesce(share.weight, 1), coalesce(behind.number, 0), share.set_by
FROM (
  SELECT name
  FROM leasehold_share
  UNION
  SELECT name
  FROM behind
) AS named
LEFT JOIN leasehold_share AS share ON share.name = named.name
LEFT JOIN behind ON behind.name = named.name
ORDER BY named.name
