"""The rules, without a database, a clock or a network."""
