-- Changes those limits of a rule or of one key that `change` names, null lifting one. Primary key.
-- A rate always has a burst, of one second where nobody says another.
INSERT INTO leasehold_throttle
  (name, tenant, running, per_worker, rate, burst, set_by, updated_at)
VALUES
  (:name, :tenant, :change ->> 'running', :change ->> 'per_worker', :change ->> 'rate',
   iif(:change ->> 'rate' IS NULL, NULL, coalesce(:change ->> 'burst', :change ->> 'rate')),
   :by, :now)
ON CONFLICT (name, tenant) DO UPDATE
SET running = iif(json_type(:change, '$.running') IS NULL, running, excluded.running),
    per_worker = iif(json_type(:change, '$.per_worker') IS NULL, per_worker, excluded.per_worker),
    rate = iif(json_type(:change, '$.rate') IS NULL, rate, excluded.rate),
    burst = CASE
      WHEN iif(json_type(:change, '$.rate') IS NULL, rate, excluded.rate) IS NULL THEN NULL
      WHEN json_type(:change, '$.burst') IS NULL THEN coalesce(burst, excluded.rate)
      ELSE coalesce(:change ->> 'burst', excluded.rate, rate)
    END,
    set_by = excluded.set_by, updated_at = excluded.updated_at
