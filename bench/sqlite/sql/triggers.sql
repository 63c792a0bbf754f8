-- The triggers that give a new job its state, and how they were made.
SELECT name, sql
FROM sqlite_master
WHERE type = 'trigger'
  AND tbl_name = 'leasehold_job'
