-- Takes leases on jobs of these lanes, no more than each has room for; see migration 0002.
SELECT claimed.*
FROM leasehold.claim_lanes(%(places)s::text[], %(mosts)s::integer[], %(limit)s, %(leases)s::jsonb,
  %(worker)s, %(skew)s, %(suspects)s, gate => %(gate)s::text) AS claimed
