-- Says whose jobs are, also on a caller's connection: primary key.
SELECT CAST(id AS text), tenant
FROM leasehold.job
WHERE id = ANY (CAST(string_to_array(CAST(:ids AS text), ',') AS uuid[]))
