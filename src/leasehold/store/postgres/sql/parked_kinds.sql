-- Counts the jobs that wait because no worker knew their kind: index parked_order.
SELECT kind, count(*)
FROM leasehold.parked
GROUP BY kind
ORDER BY kind
