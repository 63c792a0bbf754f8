-- Sums up what attempts spent more or less, so that each lane has one row. Whoever calls it has locked
-- the table.
WITH folded AS (
  DELETE FROM leasehold.charge
  RETURNING lane, tenant, amount
)
INSERT INTO leasehold.charge (lane, tenant, amount)
SELECT lane, tenant, sum(amount)
FROM folded
GROUP BY lane, tenant
