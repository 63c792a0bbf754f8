-- Lists the triggers of a table, as they were made and in that order.
SELECT name, sql
FROM sqlite_master
WHERE type = 'trigger'
AND tbl_name = :name
ORDER BY rowid
