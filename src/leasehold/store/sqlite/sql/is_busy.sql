-- Says whether any job runs. Reads the first lease there is.
SELECT EXISTS (SELECT 1 FROM leasehold_lease)
