-- Writes down what code declares of its throttles; what somebody has set stays. Primary key.
INSERT INTO leasehold_throttle (name, running, per_worker, rate, burst, updated_at)
SELECT
  value ->> 'name', value ->> 'running', value ->> 'per_worker', value ->> 'rate',
  value ->> 'burst', :now
FROM json_each(:rules)
WHERE true
ON CONFLICT (name, tenant) DO UPDATE
SET running = excluded.running, per_worker = excluded.per_worker, rate = excluded.rate,
    burst = excluded.burst, updated_at = excluded.updated_at
WHERE set_by IS NULL
