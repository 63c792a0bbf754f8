-- Appends what the attempts came to. Primary key of leasehold_outcome.
INSERT INTO leasehold_outcome
  (job_id, fence, attempt, state, failures, lapses, worker, started_at, finished_at, tenant,
   result, error, traceback)
SELECT
  value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
  value ->> 7, :now, value ->> 8, nullif(value -> 9, 'null'), value ->> 10, value ->> 11
FROM json_each(:endings)
