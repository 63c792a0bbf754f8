-- Adds a row to the audit record.
INSERT INTO leasehold.audit (
  at, actor, via, address, tenant, action, subject, count, detail, pruned_to
)
VALUES (
  %(skew)s + clock_timestamp(),
  %(actor)s,
  %(via)s,
  %(address)s,
  %(tenant)s,
  %(action)s,
  %(subject)s,
  %(count)s,
  %(detail)s::jsonb,
  %(pruned_to)s::bigint
)
