-- How throttle keys stand that are a tenant's own: see lane_states. Without limits of its own, a key has
-- those of all that its tenant has, else its rule's; what the tenant itself says can only lower them.
SELECT json_group_array(json_array(
  key.value ->> 0,
  max(
    coalesce(own.paused_until, 0), coalesce(every.paused_until, 0), coalesce(rule.paused_until, 0),
    coalesce(mine.paused_until, 0), coalesce(all_mine.paused_until, 0)
  ),
  (
    SELECT count(*)
    FROM leasehold_lease
    WHERE lane = key.value ->> 0
    AND lane <> ''
    AND NOT shares_slot
  ),
  (
    SELECT count(*)
    FROM leasehold_lease
    WHERE lane = key.value ->> 0
    AND lane <> ''
    AND NOT shares_slot
    AND worker = :worker
  ),
  iif(
    coalesce(own.running, every.running, rule.running, own.per_worker, every.per_worker,
      rule.per_worker, own.rate, every.rate, rule.rate) IS NULL, -- nobody has declared it
    NULL,
    nullif(min(
      coalesce(own.running, every.running, rule.running, 9223372036854775807),
      coalesce(mine.running, 9223372036854775807),
      coalesce(all_mine.running, 9223372036854775807)
    ), 9223372036854775807)
  ),
  coalesce(own.per_worker, every.per_worker, rule.per_worker),
  coalesce(own.rate, every.rate, rule.rate),
  CASE
    WHEN own.rate IS NOT NULL THEN own.burst
    WHEN every.rate IS NOT NULL THEN every.burst
    ELSE rule.burst
  END,
  (SELECT full_at FROM leasehold_bucket WHERE lane = key.value ->> 0),
  (SELECT total(amount) FROM leasehold_charge WHERE lane = key.value ->> 0)
))
FROM json_each(:keys) AS key
LEFT JOIN leasehold_throttle AS own ON own.name = key.value ->> 0 AND own.tenant = ''
LEFT JOIN leasehold_throttle AS every ON every.name = key.value ->> 1 AND every.tenant = ''
LEFT JOIN leasehold_throttle AS rule ON rule.name = key.value ->> 2 AND rule.tenant = ''
LEFT JOIN leasehold_throttle AS mine
  ON mine.name = key.value ->> 0
  AND mine.tenant = nullif(key.value ->> 3, '')
LEFT JOIN leasehold_throttle AS all_mine
  ON all_mine.name = key.value ->> 1
  AND all_mine.tenant = nullif(key.value ->> 3, '')
