-- Names the server, where its identifier may be read, and the database.
SELECT
  CASE
    WHEN has_function_privilege('pg_control_system()', 'EXECUTE')
      THEN (SELECT system_identifier::text FROM pg_control_system())
    ELSE concat_ws(':', inet_server_addr(), inet_server_port())
  END,
  (SELECT oid::text FROM pg_database WHERE datname = current_database())
