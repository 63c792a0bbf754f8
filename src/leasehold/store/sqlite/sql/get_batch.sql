-- Reads a batch and counts its members at one moment. Primary key; see the view.
SELECT
  seen.id, seen.tenant_id, seen.name, seen.parent_id, seen.meta, seen.status, seen.round, seen.total,
  seen.queued, seen.blocked, seen.running, seen.failed, seen.succeeded, seen.dead, seen.cancelled,
  seen.processed, seen.total_units, seen.created_by, batch.created_at, batch.sealed_at,
  batch.failed_at, batch.cancelled_at, batch.cancelled_by, batch.ended_at
FROM json_each(:ids) AS asked
CROSS JOIN leasehold_batch AS batch ON batch.id = asked.value
CROSS JOIN leasehold_batches AS seen ON seen.id = batch.id
ORDER BY batch.id DESC
