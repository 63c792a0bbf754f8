-- Saves for standing leases, and says for each whether its lease stands; see migration 0009.
SELECT leasehold.save(%(saves)s::text, %(worker)s::bigint, %(skew_seconds)s::double precision)
