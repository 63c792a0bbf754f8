-- Writes down what one lane spent more or less.
INSERT INTO leasehold_charge (lane, tenant, amount)
VALUES (:lane, :tenant, :amount)
