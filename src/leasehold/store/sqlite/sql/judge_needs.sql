-- Which of these jobs may go, and which never can, and why? Nothing of those that have to wait on. Who
-- knows that only `recent` ones have ended since the last look is answered sooner: of a thousand that
-- are needed, one that lives says enough, and the newest lives longest. Primary keys,
-- leasehold_dependency_job.
WITH asked AS MATERIALIZED (
  SELECT
    job.id,
    coalesce(job.needs ->> 'any', 0) AS is_any,
    coalesce(job.needs ->> 'even_if_failed', 0) AS is_patient
  FROM json_each(:ids) AS listed
  CROSS JOIN leasehold_job AS job ON job.id = listed.value
),
lacking AS MATERIALIZED (
  SELECT
    asked.*,
    (
      SELECT need.needs
      FROM leasehold_need AS need
      WHERE need.job_id = asked.id
      AND need.state IN ('open', iif(asked.is_patient, 'open', 'old'))
      ORDER BY need.needs DESC
      LIMIT 1
    ) AS open
  FROM asked
),
met AS MATERIALIZED ( -- one that ends the wait: a failure where all are needed, else a success
  SELECT
    lacking.*,
    CASE
      WHEN is_patient AND NOT is_any THEN NULL
      WHEN :recent IS NOT NULL AND open IS NOT NULL THEN (
        SELECT need.needs
        FROM json_each(:recent) AS ended
        CROSS JOIN leasehold_need AS need
          ON need.job_id = lacking.id
          AND need.needs = ended.value
        WHERE iif(is_any, iif(is_patient, need.state <> 'open', need.state = 'done'), need.state = 'bad')
        LIMIT 1
      )
      ELSE (
        SELECT need.needs
        FROM leasehold_need AS need
        WHERE need.job_id = lacking.id
        AND iif(is_any, iif(is_patient, need.state <> 'open', need.state = 'done'), need.state = 'bad')
        ORDER BY need.needs
        LIMIT 1
      )
    END AS decisive
  FROM lacking
),
judged AS (
  SELECT
    met.*,
    CASE
      WHEN is_any AND decisive IS NOT NULL THEN 'release'
      WHEN is_any AND open IS NULL THEN 'cancel'
      WHEN is_any THEN NULL
      WHEN decisive IS NOT NULL THEN 'cancel'
      WHEN open IS NULL THEN 'release'
    END AS verdict
  FROM met
)
SELECT
  id, verdict,
  CASE
    WHEN verdict = 'cancel' AND is_any
      THEN 'cancelled because none of the jobs that it waits for succeeded'
    WHEN verdict = 'cancel'
      THEN 'cancelled because job ' || decisive || ' that it waits for is ' || coalesce((
        SELECT state FROM leasehold_outcome WHERE job_id = decisive ORDER BY attempt DESC LIMIT 1
      ), 'gone')
  END
FROM judged
WHERE verdict IS NOT NULL
