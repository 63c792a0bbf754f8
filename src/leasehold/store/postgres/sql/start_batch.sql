-- Writes a batch and its members, sealed; see migration 0011.
SELECT leasehold.start_batch(%(document)s::jsonb, %(jobs)s, %(skew_seconds)s)
