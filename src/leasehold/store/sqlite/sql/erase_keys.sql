-- Forgets keys. Primary key.
DELETE FROM leasehold_key
WHERE (tenant, key) IN (SELECT value ->> 0, value ->> 1 FROM json_each(:keys))
