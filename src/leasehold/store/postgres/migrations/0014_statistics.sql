-- serves code from 1
-- What jobs came to, counted over time, and how deep the queues were. For charts and metrics: nothing
-- that a job's fate rests on reads it. It says nothing of tenants. See ARCHITECTURE.md, "Statistics".

-- How often a fact was seen in the span of so many seconds that begins at a moment. It is counted in spans of
-- 10 s; after 15 minutes it goes from there to spans of 60 s (kept for an hour), of 300 s (a day) and of 3,600 s
-- (a week), and to span 0, which is kept for ever: to each of them. A run time is the fact 'ran' in the bucket b
-- of 2^(b-1) to 2^b seconds.
CREATE TABLE leasehold.statistic (
  span    integer          NOT NULL,
  at      timestamptz      NOT NULL,
  queue   text COLLATE "C" NOT NULL,
  kind    text COLLATE "C" NOT NULL,
  fact    text COLLATE "C" NOT NULL,
  bucket  smallint         NOT NULL,
  count   bigint           NOT NULL,
  seconds double precision NOT NULL,
  PRIMARY KEY (span, at, queue, kind, fact, bucket)
) WITH (fillfactor = 70);

-- A sample of how many live jobs a queue had, by where they stood, and of how long the oldest ready one had
-- waited: at most one for each span of 10 s; then the greatest numbers in each longer span, as for statistics.
-- No jobs at all: queue ''.
CREATE TABLE leasehold.depth (
  span           integer          NOT NULL,
  at             timestamptz      NOT NULL,
  queue          text COLLATE "C" NOT NULL,
  ready          bigint           NOT NULL,
  blocked        bigint           NOT NULL,
  scheduled      bigint           NOT NULL,
  failed         bigint           NOT NULL,
  running        bigint           NOT NULL,
  parked         bigint           NOT NULL,
  oldest_seconds double precision,
  PRIMARY KEY (span, at, queue)
);

-- The newest attempts that did not end well, whenever their jobs were made.
CREATE INDEX outcome_failure ON leasehold.outcome (finished_at)
  WHERE state IN ('failed', 'dead', 'lapsed');
