-- serves code from 1
-- What is not as it should be, so that a fleet says it once. See ARCHITECTURE.md, "Alerts".

-- One row for each rule and what it is about (a queue, or '' for all). A state is told to the sinks before
-- the next one begins: told_at is NULL until it was. Who sends moves next_at, so that nobody else does.
CREATE TABLE leasehold_alert (
  name      TEXT    NOT NULL,
  subject   TEXT    NOT NULL,
  level     TEXT    NOT NULL,
  is_firing INTEGER NOT NULL,
  since     INTEGER NOT NULL, -- in this state
  value     REAL    NOT NULL,
  bound     REAL    NOT NULL,
  seen_at   INTEGER NOT NULL,
  told_at   INTEGER,
  sent      TEXT    NOT NULL, -- the sinks that were told of this state
  tries     INTEGER NOT NULL,
  next_at   INTEGER NOT NULL,
  reminders INTEGER NOT NULL,
  PRIMARY KEY (name, subject)
) WITHOUT ROWID;

-- Deaths by their time, however many attempts only failed. Few are written.
CREATE INDEX leasehold_outcome_dead ON leasehold_outcome (finished_at) WHERE state = 'dead';

-- Rules that tell nobody for a while.
CREATE TABLE leasehold_alert_mute (
  name   TEXT    NOT NULL PRIMARY KEY,
  until  INTEGER NOT NULL,
  set_by TEXT    NOT NULL
) WITHOUT ROWID;
