-- Lets nobody add to a batch but its running members: primary key; see migration 0010.
SELECT leasehold.seal_batch(%(batch)s, %(skew_seconds)s)
