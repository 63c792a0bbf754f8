-- Lists jobs of any state, newest first. Primary key: no sort.
SELECT id
FROM leasehold_job
WHERE id < :before
AND id >= :above
AND (:queue IS NULL OR queue = :queue)
AND (:kind IS NULL OR kind = :kind)
AND (:tenant IS NULL OR tenant = :tenant)
ORDER BY id DESC
LIMIT :limit
