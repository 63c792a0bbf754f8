-- Begins another round of a batch that has ended: primary key; see migration 0010.
SELECT leasehold.reopen_batch(%(batch)s)
