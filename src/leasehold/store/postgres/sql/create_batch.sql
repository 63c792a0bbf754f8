-- Makes a batch, or finds it: primary key; see migration 0010.
SELECT leasehold.create_batch(%(document)s::jsonb, %(skew_seconds)s)
