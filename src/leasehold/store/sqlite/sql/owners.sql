-- Says whose jobs are: primary key.
SELECT id, tenant FROM leasehold_job WHERE id IN (SELECT value FROM json_each(:ids))
