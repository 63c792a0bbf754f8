-- Writes down that all of a closed source has arrived. Primary key.
UPDATE leasehold_move
SET said = json_set(said, '$.is_over', json('true'))
WHERE part = 'mark'
