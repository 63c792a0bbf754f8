-- Changes those quotas of a tenant that are named, NULL lifting one: primary key. What waits is counted anew.
INSERT INTO leasehold.quota AS q (tenant, waiting, running, rate, burst, unmarked_since, set_by, updated_at)
SELECT %(tenant)s, said.waiting, said.running, said.rate, said.burst,
  CASE WHEN said.running IS NOT NULL THEN clock_timestamp() END, %(by)s, %(skew)s + now()
FROM jsonb_to_record(%(change)s::jsonb) AS said
  (waiting integer, running integer, rate double precision, burst double precision)
ON CONFLICT (tenant) DO UPDATE
SET waiting = CASE WHEN %(change)s::jsonb ? 'waiting' THEN excluded.waiting ELSE q.waiting END,
  running = CASE WHEN %(change)s::jsonb ? 'running' THEN excluded.running ELSE q.running END,
  rate = CASE WHEN %(change)s::jsonb ? 'rate' THEN excluded.rate ELSE q.rate END,
  burst = CASE WHEN %(change)s::jsonb ? 'rate' THEN excluded.burst ELSE q.burst END,
  full_at = CASE WHEN %(change)s::jsonb ? 'rate' THEN NULL ELSE q.full_at END,
  spare = 0,
  unmarked_since = CASE
    WHEN NOT %(change)s::jsonb ? 'running' THEN q.unmarked_since
    WHEN excluded.running IS NULL THEN NULL
    WHEN q.running IS NULL THEN excluded.unmarked_since
    ELSE q.unmarked_since
  END,
  set_by = excluded.set_by,
  updated_at = excluded.updated_at
