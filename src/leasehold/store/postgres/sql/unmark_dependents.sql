-- Forgets that jobs wait for others, where they do not any more; see migration 0011.
SELECT leasehold.unmark_dependents(%(jobs)s::uuid[])
