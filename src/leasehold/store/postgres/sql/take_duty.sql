-- Takes on what only one worker does at a time, when nobody has it: primary key. Waits for nobody who
-- does the same for long: it is one statement.
INSERT INTO leasehold.duty AS duty (name, worker, until)
VALUES (%(name)s, %(worker)s, %(skew)s + now() + make_interval(secs => %(seconds)s))
ON CONFLICT (name) DO UPDATE
SET worker = excluded.worker,
  until = excluded.until
WHERE duty.until <= %(skew)s + now()
RETURNING cursor
