-- Which of these leases were settled before? Then only the answer was lost. Primary key.
-- A lapse is no settlement: that lease was taken back.
SELECT said.key
FROM json_each(:settlements) AS said
WHERE EXISTS (
  SELECT 1
  FROM leasehold_outcome
  WHERE job_id = said.key
  AND fence = said.value ->> 'fence'
  AND worker = :worker
  AND state <> 'lapsed'
)
