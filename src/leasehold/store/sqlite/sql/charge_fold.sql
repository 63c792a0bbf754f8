-- Takes in what attempts of this key spent more, or less, than was reserved. leasehold_charge_lane.
DELETE FROM leasehold_charge
WHERE lane = :lane
