-- Strikes a worker off; its row stays for a while, so that history can name it: primary key.
UPDATE leasehold.worker
SET ended_at = %(skew)s + now(),
  seen_at = %(skew)s + now(),
  running = 0
WHERE id = %(id)s
