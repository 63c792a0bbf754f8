-- Says where a look at so many jobs ends. Primary key, backwards.
SELECT id
FROM leasehold_job
WHERE id < :before
ORDER BY id DESC
LIMIT 1 OFFSET :count
