-- Acts as the owner of the tables until the transaction ends, where roles were set up and whoever migrates
-- may: so what a migration makes belongs to the owner, too.
SELECT set_config('role', pg_get_userbyid(namespace.nspowner), true)
FROM pg_catalog.pg_namespace AS namespace
WHERE namespace.nspname = 'leasehold'
  AND pg_get_userbyid(namespace.nspowner) <> current_user
  AND pg_has_role(current_user, namespace.nspowner,
    CASE WHEN current_setting('server_version_num')::integer < 160000 THEN 'MEMBER' ELSE 'SET' END)
  AND EXISTS (
    SELECT
    FROM pg_catalog.pg_policy AS policy
    JOIN pg_catalog.pg_class AS class ON class.oid = policy.polrelid
    WHERE class.relnamespace = namespace.oid
      AND policy.polname = 'leasehold_app'
  )
