-- serves code from 1
-- What follows from ends: callbacks, in the transaction of the end; the ends of batches, after it.

-- A job that calls back is marked in the statement that writes it.
CREATE TRIGGER leasehold_job_calls_back
AFTER INSERT ON leasehold_job
WHEN NEW.on_end IS NOT NULL
BEGIN
  INSERT INTO leasehold_callback (job_id, tenant) VALUES (NEW.id, NEW.tenant);
END;

-- The members of batches that ended dead or cancelled and were not made anew. leasehold_job_batch,
-- leasehold_outcome_unhappy, primary keys.
CREATE VIEW leasehold_batch_unhappy AS
SELECT job.batch, job.id, outcome.state
FROM leasehold_job AS job
CROSS JOIN leasehold_outcome AS outcome
  ON outcome.job_id = job.id
  AND outcome.state IN ('dead', 'cancelled')
WHERE job.batch IS NOT NULL
AND NOT EXISTS (
  SELECT 1 FROM leasehold_outcome WHERE job_id = job.id AND attempt > outcome.attempt
)
AND NOT EXISTS (SELECT 1 FROM leasehold_lease WHERE job_id = job.id)
AND NOT EXISTS (SELECT 1 FROM leasehold_ready WHERE job_id = job.id)
AND NOT EXISTS (SELECT 1 FROM leasehold_scheduled WHERE job_id = job.id)
AND NOT EXISTS (SELECT 1 FROM leasehold_waiting WHERE job_id = job.id)
AND NOT EXISTS (SELECT 1 FROM leasehold_parked WHERE job_id = job.id);

-- Batches for people and for the applications' own views. One statement, one moment: live members are
-- counted by the tables they stand in (*_batch), ended ones by their last outcome. Times are ISO 8601.
CREATE VIEW leasehold_batches AS
SELECT
  batch.id,
  batch.tenant AS tenant_id,
  batch.name,
  batch.parent AS parent_id,
  batch.meta,
  CASE
    WHEN batch.cancelled_at IS NOT NULL AND batch.ended_at IS NOT NULL THEN 'cancelled'
    WHEN batch.cancelled_at IS NOT NULL THEN 'cancelling'
    WHEN batch.ended_at IS NOT NULL THEN 'ended'
    WHEN batch.sealed_at IS NOT NULL THEN 'sealed'
    ELSE 'open'
  END AS status,
  batch.round,
  (SELECT count(*) FROM leasehold_job AS inside WHERE inside.batch = batch.id) AS total,
  (SELECT count(*) FROM leasehold_ready AS inside WHERE inside.batch = batch.id)
    + (SELECT count(*) FROM leasehold_parked AS inside WHERE inside.batch = batch.id)
    + (SELECT count(*) FROM leasehold_scheduled AS inside WHERE inside.batch = batch.id AND failures = 0)
    + (
      SELECT count(*) FROM leasehold_waiting AS inside WHERE inside.batch = batch.id AND lane = '' AND stage <> '#'
    ) AS queued,
  (
    SELECT count(*) FROM leasehold_waiting AS inside WHERE inside.batch = batch.id AND (lane <> '' OR stage = '#')
  ) AS blocked,
  (SELECT count(*) FROM leasehold_lease AS inside WHERE inside.batch = batch.id) AS running,
  (SELECT count(*) FROM leasehold_scheduled AS inside WHERE inside.batch = batch.id AND failures > 0) AS failed,
  (
    SELECT count(*)
    FROM leasehold_job AS job
    WHERE job.batch = batch.id
    AND EXISTS (SELECT 1 FROM leasehold_outcome WHERE job_id = job.id AND state = 'succeeded')
  ) AS succeeded,
  (
    SELECT count(*) FROM leasehold_batch_unhappy AS ended WHERE ended.batch = batch.id AND state = 'dead'
  ) AS dead,
  (
    SELECT count(*)
    FROM leasehold_batch_unhappy AS ended
    WHERE ended.batch = batch.id AND state = 'cancelled'
  ) AS cancelled,
  (
    SELECT sum(saved.done)
    FROM leasehold_job AS job
    CROSS JOIN leasehold_checkpoint AS saved ON saved.job_id = job.id
    WHERE job.batch = batch.id
  ) AS processed,
  (
    SELECT sum(saved.total)
    FROM leasehold_job AS job
    CROSS JOIN leasehold_checkpoint AS saved ON saved.job_id = job.id
    WHERE job.batch = batch.id
  ) AS total_units,
  batch.created_by,
  strftime('%Y-%m-%dT%H:%M:%S', batch.created_at / 1000000, 'unixepoch')
    || printf('.%06dZ', batch.created_at % 1000000) AS created_at,
  strftime('%Y-%m-%dT%H:%M:%S', batch.sealed_at / 1000000, 'unixepoch')
    || printf('.%06dZ', batch.sealed_at % 1000000) AS sealed_at,
  strftime('%Y-%m-%dT%H:%M:%S', batch.failed_at / 1000000, 'unixepoch')
    || printf('.%06dZ', batch.failed_at % 1000000) AS failed_at,
  strftime('%Y-%m-%dT%H:%M:%S', batch.cancelled_at / 1000000, 'unixepoch')
    || printf('.%06dZ', batch.cancelled_at % 1000000) AS cancelled_at,
  batch.cancelled_by,
  strftime('%Y-%m-%dT%H:%M:%S', batch.ended_at / 1000000, 'unixepoch')
    || printf('.%06dZ', batch.ended_at % 1000000) AS ended_at
FROM leasehold_batch AS batch;
