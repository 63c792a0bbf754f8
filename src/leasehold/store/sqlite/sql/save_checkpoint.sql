-- Saves a running job's cursor, units and note; what is not given stays, `done` never goes back.
-- Primary keys. Fenced: a worker whose lease was taken back finds none, and so saves nothing.
INSERT INTO leasehold_checkpoint AS checkpoint (job_id, tenant, saved_at, done, total, note, cursor)
SELECT lease.job_id, lease.tenant, :now, :done, :total, :note, :cursor
FROM leasehold_lease AS lease
WHERE lease.job_id = :id
AND lease.fence = :fence
AND lease.worker = :worker
ON CONFLICT (job_id) DO UPDATE
SET saved_at = excluded.saved_at,
    done = coalesce(max(checkpoint.done, excluded.done), excluded.done, checkpoint.done),
    total = coalesce(excluded.total, checkpoint.total),
    note = coalesce(excluded.note, checkpoint.note),
    cursor = coalesce(excluded.cursor, checkpoint.cursor)
RETURNING job_id
