-- Notes what attempts spent more, or less, than their claims reserved of a rate; what never started
-- gives all of it back. The key's next claim takes it in. Primary key.
-- Fenced: a lease of another claim or worker is not found, and so can't charge anything.
INSERT INTO leasehold_charge (lane, tenant, amount)
SELECT lease.lane, lease.tenant, coalesce(said.value ->> 'spent', 0) - lease.cost
FROM json_each(:settlements) AS said
CROSS JOIN leasehold_lease AS lease
  ON lease.job_id = said.key
  AND lease.fence = said.value ->> 'fence'
WHERE lease.worker = :worker
AND lease.cost IS NOT NULL
AND (
  said.value ->> 'spent' <> lease.cost
  OR said.value ->> 'spent' IS NULL
    AND said.value ->> 'outcome' = 'released'
    AND said.value ->> 'elapsed_seconds' IS NULL
)
