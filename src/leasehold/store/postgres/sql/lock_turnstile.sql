-- Keeps claims of a key away, as they keep each other away: primary key.
SELECT number
FROM leasehold.turnstile
WHERE number = hashtext(%(name)s::text) & 8191
FOR UPDATE
