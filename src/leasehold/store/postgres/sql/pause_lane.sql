-- Pauses the throttle's key of a running job, never shortening a pause that stands: primary keys.
INSERT INTO leasehold.throttle AS t (name, paused_until, pause_reason, paused_by, updated_at)
SELECT lease.lane,
  coalesce(%(until)s::timestamptz, %(skew)s + now() + make_interval(secs => %(seconds)s::double precision),
    'infinity'),
  %(reason)s::text, %(by)s::text, %(skew)s + now()
FROM leasehold.lease
WHERE lease.job_id = %(job_id)s
  AND lease.fence = %(fence)s -- the fence: who lost its lease has no say about others' jobs
  AND lease.worker = %(worker)s
  AND lease.lane <> ''
ON CONFLICT (name, tenant) DO UPDATE
SET paused_until = greatest(t.paused_until, excluded.paused_until),
  pause_reason = CASE
    WHEN t.paused_until >= excluded.paused_until THEN t.pause_reason
    ELSE excluded.pause_reason
  END,
  paused_by = CASE
    WHEN t.paused_until >= excluded.paused_until THEN t.paused_by
    ELSE excluded.paused_by
  END,
  updated_at = excluded.updated_at
RETURNING name
