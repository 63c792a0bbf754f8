-- serves code from 1
-- How long attempts of a kind take, a high estimate by the workers that ran them: a run with a budget
-- claims what still fits.
ALTER TABLE leasehold.task ADD COLUMN typical_seconds double precision;
