-- Says who has logged in, and what of it may not be used for tenants, next to the role of tenants; no row:
-- this database has no roles, or its tables are older.
SELECT app.rolname, me.rolname, me.rolsuper, me.rolbypassrls,
  pg_has_role(me.oid, class.relowner, 'MEMBER') AS is_owner,
  pg_has_role(me.oid, app.oid, 'MEMBER') AS may_act,
  class.relrowsecurity AND class.relforcerowsecurity AS is_forced
FROM pg_catalog.pg_policy AS policy
JOIN pg_catalog.pg_class AS class ON class.oid = policy.polrelid
JOIN pg_catalog.pg_roles AS app ON app.oid = policy.polroles[1]
JOIN pg_catalog.pg_roles AS me ON me.rolname = session_user
WHERE policy.polname = 'leasehold_app'
  AND policy.polrelid = to_regclass('leasehold.job')
