-- Counts jobs that may wait for ever: for a throttle that nobody has declared, in a queue paused for an
-- hour, behind a job that runs no more. It may be none. Reads all
-- that waits, for `leasehold doctor`.
SELECT 'throttle', split_part(waiting.lane, ':', 1), count(*)
FROM leasehold.waiting
LEFT JOIN leasehold.throttle AS own ON own.name = waiting.lane AND own.tenant = ''
LEFT JOIN leasehold.throttle AS every
  ON every.name = left(waiting.lane, strpos(waiting.lane, E'\x1e')) AND every.tenant = ''
LEFT JOIN leasehold.throttle AS rule
  ON rule.name = split_part(waiting.lane, ':', 1) AND rule.tenant = ''
WHERE waiting.lane <> ''
  AND coalesce(own.running, every.running, rule.running) IS NULL
  AND coalesce(own.per_worker, every.per_worker, rule.per_worker) IS NULL
  AND coalesce(own.rate, every.rate, rule.rate) IS NULL
GROUP BY 2
UNION ALL
SELECT 'queue', name,
  (SELECT count(*) FROM leasehold.ready WHERE ready.queue = queue.name)
  + (SELECT count(*) FROM leasehold.waiting WHERE waiting.queue = queue.name)
  + (SELECT count(*) FROM leasehold.parked WHERE parked.queue = queue.name)
FROM leasehold.queue
WHERE paused_until > now()
  AND updated_at < now() - interval '1 hour'
UNION ALL
SELECT 'key', '', count(*)
FROM leasehold.key AS held
JOIN leasehold.waiting ON waiting.job_id = held.next
WHERE NOT EXISTS (SELECT FROM leasehold.lease WHERE lease.job_id = held.job_id)
UNION ALL
SELECT 'batch', '', count(*)
FROM leasehold.batch
WHERE ended_at IS NULL
  AND sealed_at < now() - interval '1 minute'
  AND NOT leasehold.is_batch_live(id)
UNION ALL
SELECT 'open batch', min(id::text), count(*)
FROM leasehold.batch
WHERE ended_at IS NULL
  AND sealed_at IS NULL
  AND created_at < now() - interval '1 day'
  AND NOT leasehold.is_batch_live(id)
UNION ALL
SELECT 'needs', min(need.job_id::text), count(DISTINCT need.job_id)
FROM leasehold.dependent
JOIN leasehold.need ON need.job_id = dependent.job_id
WHERE need.state = 'old'
ORDER BY 1, 2
