-- Takes on what only one worker does at a time, when nobody has it. Primary key.
INSERT INTO leasehold_duty (name, worker, until)
VALUES (:name, :worker, :until)
ON CONFLICT (name) DO UPDATE
SET worker = excluded.worker, until = excluded.until
WHERE leasehold_duty.until <= :now
RETURNING cursor
