-- Writes down that all of a closed source has arrived: primary key.
UPDATE leasehold.move
SET said = (said::jsonb || '{"is_over": true}')::json
WHERE part = 'mark'
