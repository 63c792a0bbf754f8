-- Lets a new limit count what runs already; claims do the rest. Reads the small lease table.
SELECT leasehold.mark_gate(%(name)s, clock_timestamp())
