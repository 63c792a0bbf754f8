-- Says whose batches are: primary key.
SELECT CAST(id AS text), tenant
FROM leasehold.batch
WHERE id = ANY (CAST(string_to_array(CAST(%(ids)s AS text), ',') AS uuid[]))
