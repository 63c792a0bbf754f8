-- Takes in what attempts spent more, or less, of keys that no claim asks for: as a claim of nothing, under
-- their turnstiles. Forgets charges of keys without a rate. charge_lane.
WITH RECURSIVE charged (lane) AS (
  (SELECT lane FROM leasehold.charge ORDER BY lane LIMIT 1)
  UNION ALL
  SELECT following.lane
  FROM charged
  CROSS JOIN LATERAL (
    SELECT charge.lane FROM leasehold.charge WHERE charge.lane > charged.lane ORDER BY 1 LIMIT 1
  ) AS following
),
few AS MATERIALIZED (
  SELECT lane FROM charged LIMIT 1000
),
unlimited AS (
  DELETE FROM leasehold.charge
  WHERE lane = ANY (ARRAY (
    SELECT state.lane
    FROM leasehold.lane_states(ARRAY (SELECT lane FROM few), 0, %(skew)s + now()) AS state
    WHERE state.rate IS NULL
  ))
)
SELECT count(job_id)
FROM (
  SELECT array_agg(repeat(E'\x1f', 4) || lane) AS places, array_agg(0) AS mosts
  FROM few
  HAVING count(*) > 0
) AS asked
CROSS JOIN LATERAL leasehold.claim_lanes(
  asked.places, asked.mosts, 0, '{}', 0, %(skew)s, false) AS nothing
