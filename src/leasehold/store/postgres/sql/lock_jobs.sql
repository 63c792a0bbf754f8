-- Serialises operators' retries and deletes of ended jobs, of those that no other operator holds: primary
-- key. Waits for nobody. Jobs with a key have an order of their own and are changed one by one.
SELECT id
FROM leasehold.job
WHERE id = ANY (%(job_ids)s::uuid[])
  AND key IS NULL
ORDER BY id
FOR UPDATE SKIP LOCKED
