-- Writes down who has which key now. Primary key.
INSERT INTO leasehold_key
  (tenant, key, job_id, next, taken_at, series_at, succeeded_at, memory_seconds, is_urgent)
SELECT
  value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
  value ->> 7, value ->> 8
FROM json_each(:keys)
WHERE true
ON CONFLICT (tenant, key) DO UPDATE
SET job_id = excluded.job_id, next = excluded.next, taken_at = excluded.taken_at,
    series_at = excluded.series_at, succeeded_at = excluded.succeeded_at,
    memory_seconds = excluded.memory_seconds, is_urgent = excluded.is_urgent
