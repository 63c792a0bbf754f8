-- serves code from 1
-- Where jobs go on: what an attempt saves, fenced by its lease, the next attempt finds.

-- `done` never goes back, whatever an attempt says.
CREATE TABLE leasehold.checkpoint (
  job_id   uuid             NOT NULL PRIMARY KEY,
  tenant   text             NOT NULL DEFAULT '',
  saved_at timestamptz      NOT NULL,
  done     double precision, -- units of work
  total    double precision,
  note     text,
  cursor   json
) WITH (fillfactor = 50);

-- Steps that have been done, with what they returned.
CREATE TABLE leasehold.step (
  job_id  uuid        NOT NULL,
  name    text        NOT NULL,
  tenant  text        NOT NULL DEFAULT '',
  done_at timestamptz NOT NULL,
  result  json,
  PRIMARY KEY (job_id, name)
);
