-- Does any job run? The first lease there is.
SELECT EXISTS (SELECT 1 FROM leasehold_lease)
