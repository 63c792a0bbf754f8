-- Describes in sentences what roles, owners, rights and policies there are: what `migrate --roles` has
-- changed is what is new among them. Reads catalogues only.
WITH mine AS (
  SELECT oid, rolname, rolcanlogin
  FROM pg_catalog.pg_roles
  WHERE rolname IN (%(prefix)s || 'owner', %(prefix)s || 'migrator', %(prefix)s || 'worker',
    %(prefix)s || 'app')
),
relation AS (
  SELECT class.oid, class.relname, class.relkind, class.relowner, class.relacl, class.relrowsecurity,
    class.relforcerowsecurity, class.reloptions
  FROM pg_catalog.pg_class AS class
  WHERE class.relnamespace = to_regnamespace('leasehold')
    AND class.relkind IN ('r', 'v', 'S')
)
SELECT 'role ' || rolname || CASE WHEN rolcanlogin THEN ', which may log in' ELSE '' END FROM mine
UNION ALL
SELECT member.rolname || ' is a member of ' || role.rolname
FROM pg_catalog.pg_auth_members AS link
JOIN mine AS role ON role.oid = link.roleid
JOIN mine AS member ON member.oid = link.member
UNION ALL
SELECT 'schema leasehold belongs to ' || mine.rolname
FROM pg_catalog.pg_namespace
JOIN mine ON mine.oid = nspowner
WHERE nspname = 'leasehold'
UNION ALL
SELECT 'schema leasehold: ' || mine.rolname || ' may ' || lower(allowed.privilege_type)
FROM pg_catalog.pg_namespace
CROSS JOIN LATERAL aclexplode(nspacl) AS allowed
JOIN mine ON mine.oid = allowed.grantee
WHERE nspname = 'leasehold'
  AND mine.oid <> nspowner
UNION ALL
SELECT relname || ' belongs to ' || mine.rolname
FROM relation
JOIN mine ON mine.oid = relowner
UNION ALL
SELECT relname || ': row level security, forced'
FROM relation
WHERE relrowsecurity AND relforcerowsecurity
UNION ALL
SELECT relname || ': shows what its reader may see'
FROM relation
WHERE relkind = 'v' AND 'security_invoker=true' = ANY (reloptions)
UNION ALL
SELECT relation.relname || ': policy ' || policyname || ' for ' || array_to_string(roles, ', ')
  || ', USING ' || coalesce(qual, '') || ' WITH CHECK ' || coalesce(with_check, '')
FROM pg_catalog.pg_policies
JOIN relation ON relation.relname = tablename
WHERE schemaname = 'leasehold'
UNION ALL
SELECT relname || ': ' || mine.rolname || ' may ' || string_agg(allowed.privilege_type, ', ' ORDER BY allowed.privilege_type)
FROM relation
CROSS JOIN LATERAL aclexplode(relacl) AS allowed
JOIN mine ON mine.oid = allowed.grantee
WHERE mine.oid <> relowner
GROUP BY relname, mine.rolname
UNION ALL
SELECT relname || ': ' || mine.rolname || ' may ' || allowed.privilege_type || ' ' || attname
FROM relation
JOIN pg_catalog.pg_attribute ON attrelid = relation.oid
CROSS JOIN LATERAL aclexplode(attacl) AS allowed
JOIN mine ON mine.oid = allowed.grantee
UNION ALL
SELECT mine.rolname || ' may call ' || count(*) || ' functions'
FROM pg_catalog.pg_proc
CROSS JOIN LATERAL aclexplode(proacl) AS allowed
JOIN mine ON mine.oid = allowed.grantee
WHERE pronamespace = to_regnamespace('leasehold')
  AND mine.oid <> proowner
GROUP BY mine.rolname
UNION ALL
SELECT relname || ': what tenants write is looked at (trigger)'
FROM relation
JOIN pg_catalog.pg_trigger ON tgrelid = relation.oid AND tgname = 'leasehold_keep_apart'
UNION ALL
SELECT 'what comes later: ' || mine.rolname || ' may ' || string_agg(allowed.privilege_type, ', ' ORDER BY allowed.privilege_type)
FROM pg_catalog.pg_default_acl
CROSS JOIN LATERAL aclexplode(defaclacl) AS allowed
JOIN mine ON mine.oid = allowed.grantee
WHERE defaclnamespace = to_regnamespace('leasehold')
GROUP BY mine.rolname, defaclobjtype
