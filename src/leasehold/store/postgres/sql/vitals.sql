-- The server, its connections to this database, and the oldest open transaction of somebody else.
SELECT current_setting('server_version'),
  (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()),
  (
    SELECT extract(epoch FROM clock_timestamp() - min(xact_start))::double precision
    FROM pg_stat_activity
    WHERE datname = current_database()
      AND pid <> pg_backend_pid()
      AND backend_type = 'client backend'
  )
