-- Says whose batches are: primary key.
SELECT id, tenant FROM leasehold_batch WHERE id IN (SELECT value FROM json_each(:ids))
