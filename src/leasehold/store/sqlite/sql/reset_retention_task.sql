-- Lets the next worker's code say how long a task's jobs are kept; what was said stands until then.
-- Primary key.
UPDATE leasehold_retention
SET set_by = NULL
WHERE scope = :scope
AND name = :name
AND scope = 'task'
AND set_by IS NOT NULL
