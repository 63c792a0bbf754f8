-- Changes those limits of a rule or of one key that are named, NULL lifting one: primary key. A rate
-- always has a burst, of one second where nobody says another.
INSERT INTO leasehold.throttle AS t (name, tenant, running, per_worker, rate, burst, set_by, updated_at)
SELECT %(name)s, %(tenant)s, said.running, said.per_worker, said.rate,
  CASE WHEN said.rate IS NOT NULL THEN coalesce(said.burst, said.rate) END, %(by)s, %(skew)s + now()
FROM jsonb_to_record(%(change)s::jsonb) AS said
  (running integer, per_worker integer, rate double precision, burst double precision)
ON CONFLICT (name, tenant) DO UPDATE
SET running = CASE WHEN %(change)s::jsonb ? 'running' THEN excluded.running ELSE t.running END,
  per_worker = CASE
    WHEN %(change)s::jsonb ? 'per_worker' THEN excluded.per_worker
    ELSE t.per_worker
  END,
  rate = CASE WHEN %(change)s::jsonb ? 'rate' THEN excluded.rate ELSE t.rate END,
  burst = CASE
    WHEN %(change)s::jsonb -> 'rate' = 'null' OR coalesce(excluded.rate, t.rate) IS NULL THEN NULL
    WHEN %(change)s::jsonb ? 'burst'
      THEN coalesce((%(change)s::jsonb ->> 'burst')::double precision, excluded.rate, t.rate)
    ELSE coalesce(t.burst, excluded.rate)
  END,
  set_by = excluded.set_by,
  updated_at = excluded.updated_at
