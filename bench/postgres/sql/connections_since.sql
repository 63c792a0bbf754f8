-- Counts the workers' connections that have sent a statement since a moment.
SELECT count(*)
FROM pg_stat_activity
WHERE datname = current_database()
  AND application_name = 'leasehold'
  AND query_start >= %(since)s
