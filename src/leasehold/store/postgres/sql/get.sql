-- Reads one job in one statement, so that it is seen in exactly one table: primary keys.
SELECT record.*
FROM leasehold.record
WHERE record.id = %(job_id)s
