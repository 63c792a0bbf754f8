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
