-- Lets jobs of one lane whose tenants have a running quota wait where that is counted.
-- leasehold_waiting_place.
UPDATE leasehold_waiting
SET stage = '@' || tenant
WHERE job_id IN (
  SELECT job_id
  FROM leasehold_waiting
  WHERE place = :place
  AND tenant IN (SELECT value FROM json_each(:tenants))
  LIMIT :limit
)
