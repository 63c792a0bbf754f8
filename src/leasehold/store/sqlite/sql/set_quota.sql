-- Changes those quotas of a tenant that `change` names, null lifting one. Primary key. What waits is
-- counted anew.
INSERT INTO leasehold_quota (tenant, waiting, running, rate, burst, set_by, updated_at)
VALUES
  (:tenant, :change ->> 'waiting', :change ->> 'running', :change ->> 'rate', :change ->> 'burst',
   :by, :now)
ON CONFLICT (tenant) DO UPDATE
SET waiting = iif(json_type(:change, '$.waiting') IS NULL, waiting, excluded.waiting),
    running = iif(json_type(:change, '$.running') IS NULL, running, excluded.running),
    rate = iif(json_type(:change, '$.rate') IS NULL, rate, excluded.rate),
    burst = iif(json_type(:change, '$.rate') IS NULL, burst, excluded.burst),
    full_at = iif(json_type(:change, '$.rate') IS NULL, full_at, NULL),
    spare = 0, set_by = excluded.set_by, updated_at = excluded.updated_at
