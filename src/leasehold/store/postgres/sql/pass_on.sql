-- Settles successes and takes leases on the next jobs of their lanes; see migration 0002.
SELECT passed.*
FROM leasehold.pass_on(%(job_ids)s::uuid[], %(fences)s::bigint[],
  %(elapsed_seconds)s::double precision[], %(numbers)s::integer[], %(places)s::text[], %(leases)s::jsonb,
  %(worker)s, %(skew)s) AS passed
