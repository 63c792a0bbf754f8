-- Lets a key have its rule's limits again, a pause of it going on, and a rule be what code declares from
-- now on: primary key. Says whether anything had been set.
UPDATE leasehold.throttle
SET running = CASE WHEN name LIKE '%%:%%' THEN NULL ELSE running END,
  per_worker = CASE WHEN name LIKE '%%:%%' THEN NULL ELSE per_worker END,
  rate = CASE WHEN name LIKE '%%:%%' THEN NULL ELSE rate END,
  burst = CASE WHEN name LIKE '%%:%%' THEN NULL ELSE burst END,
  set_by = NULL,
  updated_at = %(skew)s + now()
WHERE name = %(name)s
  AND tenant = %(tenant)s
  AND set_by IS NOT NULL
RETURNING name
