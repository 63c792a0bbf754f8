-- Writes jobs, all or none, that differ in nothing but id, place in line, key and arguments; triggers make
-- them claimable. What they share is said once: enqueue.sql would look a dozen times into each one's JSON.
-- Ids that stand already stay as they are. Primary key.
INSERT INTO leasehold_job
  (id, tenant, queue, kind, args, priority, max_attempts, timeout_seconds, lane, share, cost, batch,
   created_by, created_at, run_at, key, on_end, trace)
SELECT
  value ->> 0, :tenant, :queue, :kind, value -> 4, :priority, :max_attempts, :timeout_seconds,
  -- with a share a job without a throttle has a lane, too
  coalesce(value ->> 1, iif(value ->> 2 IS NULL, NULL, '')), value ->> 2, :cost, :batch,
  :created_by, :now, :run_at, value ->> 3, :on_end, substr(:trace, 1, 600)
FROM json_each(:jobs)
WHERE true
ON CONFLICT (id) DO NOTHING
RETURNING id
