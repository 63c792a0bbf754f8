-- Which of these leases were settled before? Then only the answer was lost. Primary key.
-- A lapse is no settlement: that lease was taken back.
SELECT held.key
FROM json_each(:leases) AS held
WHERE EXISTS (
  SELECT 1
  FROM leasehold_outcome
  WHERE job_id = held.value ->> 0
  AND fence = held.value ->> 1
  AND worker = :worker
  AND state <> 'lapsed'
)
