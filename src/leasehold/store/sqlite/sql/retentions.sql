-- Lists what is said about keeping jobs: the widest scope first. Reads the whole small table.
SELECT scope, name, succeeded_seconds, dead_seconds, cancelled_seconds, set_by
FROM leasehold_retention
ORDER BY scope, name
