-- serves code from 1
-- What jobs came to, counted over time, and how deep the queues were. For charts and metrics: nothing
-- that a job's fate rests on reads it. It says nothing of tenants. See ARCHITECTURE.md, "Statistics".

-- How often a fact was seen in the span of so many seconds that begins at a moment. It is counted in spans of
-- 10 s; after 15 minutes it goes from there to spans of 60 s (kept for an hour), of 300 s (a day) and of 3,600 s
-- (a week), and to span 0, which is kept for ever: to each of them. A run time is the fact 'ran' in the bucket b
-- of 2^(b-1) to 2^b seconds.
CREATE TABLE leasehold_statistic (
  span    INTEGER NOT NULL,
  at      INTEGER NOT NULL,
  queue   TEXT    NOT NULL,
  kind    TEXT    NOT NULL,
  fact    TEXT    NOT NULL,
  bucket  INTEGER NOT NULL,
  count   INTEGER NOT NULL,
  seconds REAL    NOT NULL,
  PRIMARY KEY (span, at, queue, kind, fact, bucket)
) WITHOUT ROWID;

-- A sample of how many live jobs a queue had, by where they stood, and of how long the oldest ready one had
-- waited: at most one for each span of 10 s; then the greatest numbers in each longer span, as for statistics.
-- No jobs at all: queue ''.
CREATE TABLE leasehold_depth (
  span           INTEGER NOT NULL,
  at             INTEGER NOT NULL,
  queue          TEXT    NOT NULL,
  ready          INTEGER NOT NULL,
  blocked        INTEGER NOT NULL,
  scheduled      INTEGER NOT NULL,
  failed         INTEGER NOT NULL,
  running        INTEGER NOT NULL,
  parked         INTEGER NOT NULL,
  oldest_seconds REAL,
  PRIMARY KEY (span, at, queue)
) WITHOUT ROWID;

-- The newest attempts that did not end well, whenever their jobs were made.
CREATE INDEX leasehold_outcome_failure ON leasehold_outcome (finished_at)
  WHERE state = 'failed' OR state = 'dead' OR state = 'lapsed';
