-- Looks at the next keys: how many, the last one, and which of them say nothing any more: the job that
-- had it is gone, nobody waits behind it, and its memory is over. Primary keys.
WITH page AS MATERIALIZED (
  SELECT * -- in two parts: SQLite would walk over a whole tenant for (tenant, key) > (…, …)
  FROM (
    SELECT * FROM leasehold_key WHERE tenant = :tenant AND key > :key ORDER BY key LIMIT :limit
  )
  UNION ALL
  SELECT *
  FROM (
    SELECT * FROM leasehold_key WHERE tenant > :tenant ORDER BY tenant, key LIMIT :limit
  )
  ORDER BY tenant, key
  LIMIT :limit
)
SELECT
  (SELECT count(*) FROM page),
  (SELECT json_array(tenant, key) FROM page ORDER BY tenant DESC, key DESC LIMIT 1),
  (
    SELECT json_group_array(json_array(tenant, key))
    FROM page
    WHERE memory_seconds + :late_seconds < (:now - max(taken_at, coalesce(succeeded_at, 0))) / 1e6
    AND NOT EXISTS (SELECT 1 FROM leasehold_job WHERE id = page.job_id)
    AND (next IS NULL OR NOT EXISTS (SELECT 1 FROM leasehold_job WHERE id = page.next))
  )
