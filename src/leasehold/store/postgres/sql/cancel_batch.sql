-- Lets nobody add to a batch, nor to those nested in it: primary key, batch_parent; see migration 0010.
SELECT leasehold.cancel_batch(%(batch)s, %(by)s::text, %(skew_seconds)s)
