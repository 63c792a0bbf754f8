-- Lists keys that have something to be taken in. Index leasehold_charge_lane.
SELECT DISTINCT lane
FROM leasehold_charge
LIMIT :limit
