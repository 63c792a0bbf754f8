-- Pauses a throttle, or one key of it, until exactly then, whatever pause stood: primary key.
INSERT INTO leasehold.throttle (name, tenant, paused_until, pause_reason, paused_by, updated_at)
VALUES (
  %(name)s, %(tenant)s,
  coalesce(%(until)s::timestamptz, %(skew)s + now() + make_interval(secs => %(seconds)s::double precision),
    'infinity'),
  %(reason)s::text, %(by)s::text, %(skew)s + now()
)
ON CONFLICT (name, tenant) DO UPDATE
SET paused_until = excluded.paused_until,
  pause_reason = excluded.pause_reason,
  paused_by = excluded.paused_by,
  updated_at = excluded.updated_at
