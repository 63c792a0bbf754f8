-- Counts a tenant's jobs that have not ended and do not run, up to a number. The indexes by tenant.
SELECT count(*)
FROM (
  SELECT 1 FROM leasehold_ready WHERE tenant = :tenant AND tenant <> ''
  UNION ALL
  SELECT 1 FROM leasehold_scheduled WHERE tenant = :tenant AND tenant <> ''
  UNION ALL
  SELECT 1 FROM leasehold_parked WHERE tenant = :tenant AND tenant <> ''
  UNION ALL
  SELECT 1 FROM leasehold_waiting WHERE tenant = :tenant AND tenant <> ''
  LIMIT :most
)
