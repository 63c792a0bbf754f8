-- Says where a look at so many jobs ends: primary key, backwards.
SELECT id
FROM leasehold.job
WHERE id < %(before)s
ORDER BY id DESC
OFFSET %(count)s
LIMIT 1
