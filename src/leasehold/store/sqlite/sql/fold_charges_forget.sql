-- Forgets what has been summed up.
DELETE FROM leasehold_charge
