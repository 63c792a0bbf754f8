-- Goes on with a duty, if it is still this worker's: primary key.
UPDATE leasehold.duty
SET until = %(skew)s + now() + make_interval(secs => %(seconds)s),
  cursor = %(cursor)s::text
WHERE name = %(name)s
  AND worker = %(worker)s
RETURNING name
