-- Pauses a rule or one key until exactly then, whatever pause stood. Primary key.
INSERT INTO leasehold_throttle (name, tenant, paused_until, pause_reason, paused_by, updated_at)
VALUES (:name, :tenant, :until, :reason, :by, :now)
ON CONFLICT (name, tenant) DO UPDATE
SET paused_until = excluded.paused_until, pause_reason = excluded.pause_reason,
    paused_by = excluded.paused_by, updated_at = excluded.updated_at
