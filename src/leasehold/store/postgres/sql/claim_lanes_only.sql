-- Takes leases on jobs of these lanes, of one batch or of some kinds only; see migration 0002.
SELECT claimed.*
FROM leasehold.claim_lanes(%(places)s::text[], %(mosts)s::integer[], %(limit)s, %(leases)s::jsonb,
  %(worker)s, %(skew)s, %(suspects)s, %(batch)s::uuid, %(kinds)s::text[],
  %(gate)s::text, %(holder)s::text) AS claimed
