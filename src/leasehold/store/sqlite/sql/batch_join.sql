-- How do these batches stand, and does the member run that adds to them? Primary keys.
SELECT
  batch.id, batch.tenant, batch.sealed_at, batch.cancelled_at, batch.ended_at,
  EXISTS (
    SELECT 1
    FROM leasehold_lease -- fenced: only a member that runs
    WHERE job_id = asked.value ->> 1
    AND fence = asked.value ->> 2
    AND batch = batch.id
  )
FROM json_each(:asked) AS asked
CROSS JOIN leasehold_batch AS batch ON batch.id = asked.value ->> 0
