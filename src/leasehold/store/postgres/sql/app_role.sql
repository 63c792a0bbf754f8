-- Names the role of tenants, which the policy on jobs is for; no row: this database has no roles.
SELECT role.rolname
FROM pg_catalog.pg_policy AS policy
JOIN pg_catalog.pg_roles AS role ON role.oid = policy.polroles[1]
WHERE policy.polname = 'leasehold_app'
  AND policy.polrelid = to_regclass('leasehold.job')
