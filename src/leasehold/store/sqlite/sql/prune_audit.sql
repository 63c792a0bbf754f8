-- Takes away what the audit record says was pruned: primary key.
DELETE FROM leasehold_audit
WHERE id < :pruned_to
