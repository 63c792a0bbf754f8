-- serves code from 1
-- Rules that make jobs again and again. Whoever moves `next_at` on from what it read makes the slot's
-- job in the same transaction; the others find it moved: each slot once.
CREATE TABLE leasehold_schedule (
  tenant         TEXT    NOT NULL DEFAULT '',
  name           TEXT    NOT NULL,
  rule           TEXT    NOT NULL, -- cron, '@daily', or 'every 90s'
  zone           TEXT    NOT NULL DEFAULT 'UTC',
  dst            TEXT    NOT NULL DEFAULT 'auto', -- how the rule meets the clock's changes
  missed         TEXT    NOT NULL DEFAULT 'latest', -- none, latest, all
  missed_cap     INTEGER NOT NULL DEFAULT 100,
  jitter_seconds REAL    NOT NULL DEFAULT 0,
  job            TEXT    NOT NULL, -- what to enqueue, JSON, without id
  created_at     INTEGER NOT NULL,
  updated_at     INTEGER NOT NULL,
  next_at        INTEGER, -- the slot to fire next; NULL: never again
  last_slot      INTEGER,
  last_fired_at  INTEGER,
  last_job       TEXT,
  paused_at      INTEGER,
  paused_by      TEXT,
  set_by         TEXT, -- NULL: as the code declared it
  version        INTEGER NOT NULL DEFAULT 1, -- moved by each change of the rule
  PRIMARY KEY (tenant, name)
) WITHOUT ROWID;
CREATE INDEX leasehold_schedule_next ON leasehold_schedule (next_at) WHERE paused_at IS NULL;
