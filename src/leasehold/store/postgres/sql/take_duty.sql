-- Takes on what only one worker does at a time, when nobody has it: primary key. Waits for nobody who
-- does the same for long: it is one statement. Asking in vain writes nothing.
INSERT INTO leasehold.duty AS duty (name, worker, until)
SELECT %(name)s::text, %(worker)s::bigint, %(skew)s + now() + make_interval(secs => %(seconds)s)
WHERE NOT EXISTS (
  SELECT FROM leasehold.duty AS had WHERE had.name = %(name)s::text AND had.until > %(skew)s + now()
)
ON CONFLICT (name) DO UPDATE
SET worker = excluded.worker,
  until = excluded.until
WHERE duty.until <= %(skew)s + now()
RETURNING cursor
