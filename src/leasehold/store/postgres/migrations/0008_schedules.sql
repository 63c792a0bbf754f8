-- serves code from 1
-- Rules that make jobs again and again. Whoever moves `next_at` on from what it read makes the slot's
-- job in the same statement; the others find it moved: each slot once, without a lock.
CREATE TABLE leasehold.schedule (
  tenant         text             NOT NULL DEFAULT '',
  name           text             NOT NULL,
  rule           text             NOT NULL, -- cron, '@daily', or 'every 90s'
  zone           text             NOT NULL DEFAULT 'UTC',
  dst            text             NOT NULL DEFAULT 'auto', -- how the rule meets the clock's changes
  missed         text             NOT NULL DEFAULT 'latest', -- none, latest, all
  missed_cap     integer          NOT NULL DEFAULT 100,
  jitter_seconds double precision NOT NULL DEFAULT 0,
  job            json             NOT NULL, -- what to enqueue, as for enqueue_many, without id
  created_at     timestamptz      NOT NULL,
  updated_at     timestamptz      NOT NULL,
  next_at        timestamptz, -- the slot to fire next; NULL: never again
  last_slot      timestamptz,
  last_fired_at  timestamptz,
  last_job       uuid,
  paused_at      timestamptz,
  paused_by      text,
  set_by         text, -- NULL: as the code declared it
  version        integer          NOT NULL DEFAULT 1, -- moved by each change of the rule
  PRIMARY KEY (tenant, name)
);
CREATE INDEX schedule_next ON leasehold.schedule (next_at) WHERE paused_at IS NULL;

-- Moves a schedule on if it is still as somebody saw it, and makes the slot's jobs: both or neither, and
-- once, since whoever comes later finds it moved. One that another one is just at is left to them: nobody
-- waits here, so that a job whose key is held by an open transaction can't stop all who look.
CREATE FUNCTION leasehold.fire(its_tenant text, its_name text, seen_version integer, seen_next timestamptz,
  following timestamptz, slot timestamptz, jobs text, last_id uuid, by_hand boolean,
  skew_seconds double precision)
RETURNS boolean
LANGUAGE plpgsql
SET lock_timeout = '250ms'
SET jit = off
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET enable_nestloop = on
AS $$
DECLARE
  moment timestamptz := clock_timestamp() + make_interval(secs => skew_seconds);
  stands uuid;
BEGIN
  PERFORM
  FROM leasehold.schedule
  WHERE tenant = its_tenant
    AND name = its_name
    AND version = seen_version
    AND next_at IS NOT DISTINCT FROM seen_next
    AND (paused_at IS NULL OR by_hand)
  FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  BEGIN
    IF last_id IS NOT NULL AND jobs::jsonb @? '$[*].unique' THEN
      SELECT keyed.standing INTO stands
      FROM leasehold.enqueue_keyed(jobs, skew_seconds) AS keyed
      WHERE keyed.asked = last_id;
    ELSIF last_id IS NOT NULL THEN
      PERFORM leasehold.enqueue_many(jobs, skew_seconds);
    END IF;
  EXCEPTION
    WHEN SQLSTATE 'LH007' THEN -- what its tenant's quotas do not allow is left out: the next slot comes
      IF by_hand THEN
        RAISE;
      END IF;
      last_id := NULL;
  END;
  UPDATE leasehold.schedule
  SET next_at = following,
    last_slot = coalesce(slot, last_slot),
    last_fired_at = CASE WHEN last_id IS NULL THEN last_fired_at ELSE moment END,
    last_job = coalesce(stands, last_id, last_job)
  WHERE tenant = its_tenant
    AND name = its_name;
  RETURN true;
END
$$;
