-- Lists what is said about keeping jobs: the widest scope first. Reads the few rows there are.
SELECT scope, name, succeeded_seconds, dead_seconds, cancelled_seconds, set_by
FROM leasehold.retention
ORDER BY scope COLLATE "C", name COLLATE "C"
