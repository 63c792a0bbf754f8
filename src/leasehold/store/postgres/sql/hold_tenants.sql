-- Lets jobs of tenants with a running quota wait where that is counted; see migration 0016.
SELECT leasehold.hold_tenants(%(most)s)
