-- Takes away the next keys that are past their time: one function, so that its locks are short.
SELECT seen, gone, cursor, is_busy
FROM leasehold.prune_keys(%(cursor)s::text, %(limit)s, %(dry_run)s, %(late_seconds)s, %(skew_seconds)s)
