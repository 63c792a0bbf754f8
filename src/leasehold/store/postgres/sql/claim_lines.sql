-- Takes leases on lines of short jobs, as many as these lanes have slots for; see migration 0002.
SELECT claimed.*
FROM leasehold.claim_lines(%(places)s::text[], %(mosts)s::integer[], %(limit)s,
  %(longest)s, %(short)s::text[], %(leases)s::jsonb, %(worker)s, %(skew)s) AS claimed
