-- Counts what waits for a worker that knows it. Index leasehold_parked_order.
SELECT kind, count(*)
FROM leasehold_parked
GROUP BY kind
ORDER BY kind
