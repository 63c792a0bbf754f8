-- Names those of these kinds whose jobs are encrypted: primary key.
SELECT kind
FROM leasehold_task
WHERE kind IN (SELECT value FROM json_each(:kinds))
  AND encrypted
