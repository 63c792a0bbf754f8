-- Lets jobs go that waited behind another one of their key, which runs no more; see migration 0006.
SELECT leasehold.hand_over(%(limit)s, %(skew_seconds)s)
