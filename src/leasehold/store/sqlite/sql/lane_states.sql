-- How throttle keys stand; model/lanes.py says what follows. A key without limits of its own has its
-- rule's. Primary keys, leasehold_lease_lane, leasehold_charge_lane. One value: see claim_pick.
SELECT json_group_array(json_array(
  key.value,
  max(coalesce(own.paused_until, 0), coalesce(rule.paused_until, 0)),
  (SELECT count(*) FROM leasehold_lease WHERE lane = key.value AND lane <> '' AND NOT shares_slot),
  iif(coalesce(own.per_worker, rule.per_worker) IS NULL, 0, (
    SELECT count(*)
    FROM leasehold_lease
    WHERE lane = key.value
    AND lane <> ''
    AND NOT shares_slot
    AND worker = :worker
  )),
  coalesce(own.running, rule.running),
  coalesce(own.per_worker, rule.per_worker),
  iif(own.rate IS NULL, rule.rate, own.rate),
  iif(own.rate IS NULL, rule.burst, own.burst),
  iif(coalesce(own.rate, rule.rate) IS NULL, NULL, (
    SELECT full_at FROM leasehold_bucket WHERE lane = key.value
  )),
  iif(coalesce(own.rate, rule.rate) IS NULL, 0, (
    SELECT total(amount) FROM leasehold_charge WHERE lane = key.value
  ))
))
FROM json_each(:keys) AS key
LEFT JOIN leasehold_throttle AS own ON own.name = key.value AND own.tenant = ''
LEFT JOIN leasehold_throttle AS rule
  ON rule.name = substr(key.value, 1, instr(key.value || ':', ':') - 1)
  AND rule.tenant = ''
