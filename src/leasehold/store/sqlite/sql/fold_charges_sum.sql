-- Sums up what attempts spent more or less, by lane. Reads the whole table.
SELECT lane, tenant, sum(amount)
FROM leasehold_charge
GROUP BY lane, tenant
