-- Adds a row to the audit record.
INSERT INTO leasehold_audit (at, actor, via, address, tenant, action, subject, count, detail, pruned_to)
VALUES (:now, :actor, :via, :address, :tenant, :action, :subject, :count, :detail, :pruned_to)
