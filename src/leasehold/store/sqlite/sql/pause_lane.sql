-- Pauses the throttle key of a running job, never shortening a pause that stands. Primary keys.
-- Fenced: a worker whose lease was taken back finds none, and so can pause nothing.
INSERT INTO leasehold_throttle (name, paused_until, pause_reason, paused_by, updated_at)
SELECT lease.lane, :until, :reason, :by, :now
FROM leasehold_lease AS lease
WHERE lease.job_id = :id
AND lease.fence = :fence
AND lease.worker = :worker
AND lease.lane <> ''
ON CONFLICT (name, tenant) DO UPDATE
SET paused_until = max(coalesce(paused_until, 0), excluded.paused_until),
    pause_reason = iif(paused_until >= excluded.paused_until, pause_reason, excluded.pause_reason),
    paused_by = iif(paused_until >= excluded.paused_until, paused_by, excluded.paused_by),
    updated_at = excluded.updated_at
