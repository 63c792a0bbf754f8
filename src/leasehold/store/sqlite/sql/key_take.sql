-- Writes down keys that nobody had, and the jobs that have them now: an object of a tenant's keys. Primary key.
INSERT INTO leasehold_key (tenant, key, job_id, taken_at, series_at, memory_seconds)
SELECT :tenant, key, value, :now, :now, :memory_seconds
FROM json_each(:keys)
