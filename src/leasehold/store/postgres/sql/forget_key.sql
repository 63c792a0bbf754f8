-- Forgets what is remembered of a key, or raises while a live job has it; see migration 0005.
SELECT leasehold.forget_key(%(key)s, %(tenant)s)
