-- Takes in how long attempts of some kinds took, each by the weight of what it rests on: primary key. A
-- kind that another worker writes just now is skipped: it is an estimate.
WITH mine AS MATERIALIZED (
  SELECT task.kind, measured.seconds, measured.weight
  FROM jsonb_to_recordset(%(measured)s::jsonb) AS measured
    (kind text, seconds double precision, weight double precision)
  CROSS JOIN LATERAL (
    SELECT kind FROM leasehold.task WHERE task.kind = measured.kind FOR UPDATE SKIP LOCKED
  ) AS task
)
UPDATE leasehold.task
SET typical_seconds = coalesce(
  typical_seconds + (mine.seconds - typical_seconds) * mine.weight, mine.seconds)
FROM mine
WHERE task.kind = mine.kind
