-- Says of which queue and kind jobs are: primary key.
SELECT id, queue, kind FROM leasehold_job WHERE id IN (SELECT value FROM json_each(:ids))
