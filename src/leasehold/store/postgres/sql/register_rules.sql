-- Writes down a worker's throttles, in one order, so that two workers can't deadlock. What somebody has
-- set at run time stays as they set it: primary key.
INSERT INTO leasehold.throttle AS t (name, running, per_worker, rate, burst, updated_at)
SELECT name, running, per_worker, rate, burst, %(skew)s + now()
FROM jsonb_to_recordset(%(rules)s::jsonb) AS rule (name text, running integer, per_worker integer,
  rate double precision, burst double precision)
ORDER BY name
ON CONFLICT (name, tenant) DO UPDATE
SET running = excluded.running,
  per_worker = excluded.per_worker,
  rate = excluded.rate,
  burst = excluded.burst,
  updated_at = excluded.updated_at
WHERE t.set_by IS NULL
