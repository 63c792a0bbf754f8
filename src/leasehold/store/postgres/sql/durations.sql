-- Says how long attempts of these kinds take, where that is known: primary key.
SELECT kind, typical_seconds
FROM leasehold.task
WHERE kind = ANY (%(kinds)s::text[])
  AND typical_seconds IS NOT NULL
