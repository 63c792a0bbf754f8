-- Names, as ALTER … OWNER wants them, the objects of the schema that another role than this one owns.
SELECT 'SCHEMA leasehold', 0 AS number
FROM pg_catalog.pg_namespace
WHERE nspname = 'leasehold' AND pg_get_userbyid(nspowner) <> %(owner)s
UNION ALL
SELECT CASE relkind WHEN 'v' THEN 'VIEW ' WHEN 'S' THEN 'SEQUENCE ' ELSE 'TABLE ' END
  || oid::regclass::text, 1
FROM pg_catalog.pg_class
WHERE relnamespace = to_regnamespace('leasehold')
  AND relkind IN ('r', 'v', 'S')
  AND pg_get_userbyid(relowner) <> %(owner)s
  AND NOT EXISTS ( -- a column's own sequence goes with its table
    SELECT
    FROM pg_catalog.pg_depend
    WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND relkind = 'S' AND deptype IN ('a', 'i')
  )
UNION ALL
SELECT 'ROUTINE ' || oid::regprocedure::text, 2
FROM pg_catalog.pg_proc
WHERE pronamespace = to_regnamespace('leasehold')
  AND pg_get_userbyid(proowner) <> %(owner)s
UNION ALL
SELECT 'TYPE ' || oid::regtype::text, 3
FROM pg_catalog.pg_type
WHERE typnamespace = to_regnamespace('leasehold')
  AND typtype = 'e'
  AND pg_get_userbyid(typowner) <> %(owner)s
ORDER BY 2, 1
