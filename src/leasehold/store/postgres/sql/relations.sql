-- Lists the tables and views of the schema: whether rows have a tenant, row level security is forced,
-- tenants' writes are looked at, a view shows what its reader may see, and there is a policy for tenants.
SELECT class.relname,
  class.relkind = 'v' AS is_view,
  EXISTS (
    SELECT
    FROM pg_catalog.pg_attribute
    WHERE attrelid = class.oid AND attname = 'tenant' AND NOT attisdropped
  ) AS has_tenant,
  class.relrowsecurity AND class.relforcerowsecurity AS is_forced,
  EXISTS (
    SELECT FROM pg_catalog.pg_trigger WHERE tgrelid = class.oid AND tgname = 'leasehold_keep_apart'
  ) AS is_watched,
  coalesce('security_invoker=true' = ANY (class.reloptions), false) AS is_invokers,
  EXISTS (
    SELECT
    FROM pg_catalog.pg_policy AS policy
    WHERE policy.polrelid = class.oid
      AND policy.polname = 'leasehold_app'
      AND policy.polpermissive
      AND policy.polcmd = '*'
      AND pg_get_expr(policy.polqual, class.oid) = '(tenant = leasehold.tenant())'
      AND pg_get_expr(policy.polwithcheck, class.oid) = '(tenant = leasehold.tenant())'
  ) AS has_policy
FROM pg_catalog.pg_class AS class
WHERE class.relnamespace = to_regnamespace('leasehold')
  AND class.relkind IN ('r', 'v')
ORDER BY class.relname
