-- Takes away what the audit record says was pruned: primary key.
DELETE FROM leasehold.audit
WHERE id < %(pruned_to)s
