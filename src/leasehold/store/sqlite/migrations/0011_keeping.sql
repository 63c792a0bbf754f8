-- serves code from 1
-- How long ended jobs are kept, and which worker takes those away that are past their time.

-- What somebody said for all jobs (name ''), for a queue's or for a task's. Seconds after the end; NULL
-- says nothing, 1e99 is for ever. No row: 7 days for succeeded jobs, 30 for others.
CREATE TABLE leasehold_retention (
  scope             TEXT    NOT NULL CHECK (scope IN ('all', 'queue', 'task')),
  name              TEXT    NOT NULL,
  tenant            TEXT    NOT NULL DEFAULT '',
  succeeded_seconds REAL    CHECK (succeeded_seconds >= 0),
  dead_seconds      REAL    CHECK (dead_seconds >= 0),
  cancelled_seconds REAL    CHECK (cancelled_seconds >= 0),
  set_by            TEXT, -- NULL: as the code declared it
  updated_at        INTEGER NOT NULL,
  PRIMARY KEY (scope, name)
) WITHOUT ROWID;

-- What only one worker does at a time: who does it, or nobody before when. `cursor` is where it stands.
CREATE TABLE leasehold_duty (
  name   TEXT    NOT NULL PRIMARY KEY,
  worker INTEGER,
  until  INTEGER NOT NULL,
  cursor TEXT
) WITHOUT ROWID;

-- How many seconds after its end each job is kept: what narrower scopes say goes before, and who says
-- how long succeeded ones are kept keeps the others as long at least. As `fold` in model/keeping.py.
CREATE VIEW leasehold_keeping AS
SELECT
  job.id,
  job.tenant,
  job.key,
  job.batch,
  coalesce(narrow.succeeded_seconds, middle.succeeded_seconds, wide.succeeded_seconds, 604800.0)
    AS succeeded_seconds,
  coalesce(narrow.dead_seconds, max(coalesce(narrow.succeeded_seconds, 0),
    coalesce(middle.dead_seconds, max(coalesce(middle.succeeded_seconds, 0),
    coalesce(wide.dead_seconds, max(coalesce(wide.succeeded_seconds, 0), 2592000.0))))))
    AS dead_seconds,
  coalesce(narrow.cancelled_seconds, max(coalesce(narrow.succeeded_seconds, 0),
    coalesce(middle.cancelled_seconds, max(coalesce(middle.succeeded_seconds, 0),
    coalesce(wide.cancelled_seconds, max(coalesce(wide.succeeded_seconds, 0), 2592000.0))))))
    AS cancelled_seconds
FROM leasehold_job AS job
LEFT JOIN leasehold_retention AS narrow ON narrow.scope = 'task' AND narrow.name = job.kind
LEFT JOIN leasehold_retention AS middle ON middle.scope = 'queue' AND middle.name = job.queue
LEFT JOIN leasehold_retention AS wide ON wide.scope = 'all' AND wide.name = '';

-- Moving: what is known of a move from or into this database, by part: its mark, and how far each table
-- has been filled.
CREATE TABLE leasehold_move (
  part TEXT NOT NULL PRIMARY KEY,
  said TEXT NOT NULL -- JSON
) WITHOUT ROWID;
