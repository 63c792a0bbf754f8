-- Reads a batch and counts its members at one moment: primary key, job_batch, *_batch.
SELECT id, tenant_id, name, parent_id, meta, status, round, total, queued, blocked, running, failed,
  succeeded, dead, cancelled, processed, total_units, created_by, created_at, sealed_at, failed_at,
  cancelled_at, cancelled_by, ended_at
FROM leasehold.batches
WHERE id = %(batch)s
