-- Forgets what somebody said about keeping jobs of a queue, or of all. Primary key.
DELETE FROM leasehold_retention
WHERE scope = :scope
AND name = :name
AND scope <> 'task'
