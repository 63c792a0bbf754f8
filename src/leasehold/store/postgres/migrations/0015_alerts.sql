-- serves code from 1
-- What is not as it should be, so that a fleet says it once. See ARCHITECTURE.md, "Alerts".

-- One row for each rule and what it is about (a queue, or '' for all). A state is told to the sinks before
-- the next one begins: told_at is NULL until it was. Who sends moves next_at, so that nobody else does.
CREATE TABLE leasehold.alert (
  name      text COLLATE "C" NOT NULL,
  subject   text COLLATE "C" NOT NULL,
  level     text             NOT NULL,
  is_firing boolean          NOT NULL,
  since     timestamptz      NOT NULL, -- in this state
  value     double precision NOT NULL,
  bound     double precision NOT NULL,
  seen_at   timestamptz      NOT NULL,
  told_at   timestamptz,
  sent      jsonb            NOT NULL, -- the sinks that were told of this state
  tries     integer          NOT NULL,
  next_at   timestamptz      NOT NULL,
  reminders integer          NOT NULL,
  PRIMARY KEY (name, subject)
);

-- Deaths by their time, however many attempts only failed. Few are written.
CREATE INDEX outcome_dead ON leasehold.outcome (finished_at) WHERE state = 'dead';

-- Rules that tell nobody for a while.
CREATE TABLE leasehold.alert_mute (
  name   text COLLATE "C" NOT NULL PRIMARY KEY,
  until  timestamptz      NOT NULL,
  set_by text             NOT NULL
);
