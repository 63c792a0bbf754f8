-- Counts jobs that may wait for ever: for a throttle that nobody has declared, in a queue paused for an
-- hour, behind a job that runs no more. It may be none. Reads all
-- that waits, for `leasehold doctor`.
SELECT 'throttle', substr(waiting.lane, 1, instr(waiting.lane || ':', ':') - 1), count(*)
FROM leasehold_waiting AS waiting
LEFT JOIN leasehold_throttle AS own ON own.name = waiting.lane AND own.tenant = ''
LEFT JOIN leasehold_throttle AS every
  ON every.name = substr(waiting.lane, 1, instr(waiting.lane, char(30)))
  AND every.tenant = ''
LEFT JOIN leasehold_throttle AS rule
  ON rule.name = substr(waiting.lane, 1, instr(waiting.lane || ':', ':') - 1)
  AND rule.tenant = ''
WHERE waiting.lane <> ''
AND coalesce(own.running, own.per_worker, own.rate) IS NULL
AND coalesce(every.running, every.per_worker, every.rate) IS NULL
AND coalesce(rule.running, rule.per_worker, rule.rate) IS NULL
GROUP BY 2
UNION ALL
SELECT 'queue', name,
  (SELECT count(*) FROM leasehold_ready WHERE queue = name)
  + (SELECT count(*) FROM leasehold_waiting WHERE queue = name)
  + (SELECT count(*) FROM leasehold_parked WHERE queue = name)
FROM leasehold_queue
WHERE paused_until > :now
AND updated_at < :now - 3600 * 1000000
UNION ALL
SELECT 'key', '', count(*)
FROM leasehold_key AS held
JOIN leasehold_waiting AS waiting ON waiting.job_id = held.next
WHERE NOT EXISTS (SELECT 1 FROM leasehold_lease WHERE job_id = held.job_id)
UNION ALL
SELECT iif(batch.sealed_at IS NULL, 'open batch', 'batch'), min(batch.id), count(*)
FROM leasehold_batch AS batch
WHERE batch.ended_at IS NULL
AND iif(batch.sealed_at IS NULL, batch.created_at + 86400 * 1000000, batch.sealed_at + 60 * 1000000)
  < :now
AND NOT EXISTS (SELECT 1 FROM leasehold_lease AS member WHERE member.batch = batch.id)
AND NOT EXISTS (SELECT 1 FROM leasehold_ready AS member WHERE member.batch = batch.id)
AND NOT EXISTS (SELECT 1 FROM leasehold_scheduled AS member WHERE member.batch = batch.id)
AND NOT EXISTS (SELECT 1 FROM leasehold_waiting AS member WHERE member.batch = batch.id)
AND NOT EXISTS (SELECT 1 FROM leasehold_parked AS member WHERE member.batch = batch.id)
AND NOT EXISTS (
  SELECT 1 FROM leasehold_batch AS nested WHERE nested.parent = batch.id AND nested.ended_at IS NULL
)
GROUP BY 1
UNION ALL
SELECT 'needs', min(need.job_id), count(DISTINCT need.job_id)
FROM leasehold_dependent AS dependent
JOIN leasehold_need AS need ON need.job_id = dependent.job_id
WHERE need.state = 'old'
ORDER BY 1, 2
